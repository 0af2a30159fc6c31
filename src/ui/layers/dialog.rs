//! Frame and buttons shared by all dialogs.

use ratatui::layout::Rect;
use ratatui::symbols::border::Set;
use ratatui::widgets::Block;

use crate::ui::answer_gate::AnswerGate;
use crate::ui::hit_map::{Button, Canvas, Hit};
use crate::ui::theme::{Glyphs, Role, Theme};

/// Buttons, with their labels and widths in columns.
pub const BUTTONS: [(Button, &str, u16); 2] = [(Button::Yes, "[ Yes ]", 7), (Button::No, "[ No ]", 6)];
/// Gap between two buttons, in columns.
const BETWEEN: u16 = 3;

const ASCII: Set<'static> = Set {
    top_left: "+",
    top_right: "+",
    bottom_left: "+",
    bottom_right: "+",
    vertical_left: "|",
    vertical_right: "|",
    horizontal_top: "-",
    horizontal_bottom: "-",
};

/// Returns a frame drawn with the characters of the theme.
pub fn bordered(theme: Theme) -> Block<'static> {
    match theme.glyphs {
        Glyphs::Unicode => Block::bordered(),
        Glyphs::Ascii => Block::bordered().border_set(ASCII),
    }
}

/// Returns the width of the buttons when placed side by side.
pub fn columns<const COUNT: usize>(buttons: [(Button, &str, u16); COUNT]) -> u16 {
    buttons.iter().map(|(.., width)| width + BETWEEN).sum::<u16>().saturating_sub(BETWEEN)
}

/// Returns the areas of the buttons, centered on a line. If the line is short, the gaps between them shrink.
pub fn side_by_side<const COUNT: usize>(buttons: [(Button, &str, u16); COUNT], line: Rect) -> [Rect; COUNT] {
    let between = BETWEEN.saturating_sub(columns(buttons).saturating_sub(line.width));
    let mut x = line.x + line.width.saturating_sub(columns(buttons)) / 2;
    buttons.map(|(.., width)| {
        let button = Rect { x, width, ..line }.intersection(line);
        x += width + between;
        button
    })
}

/// Draws a button. The Yes button has brackets only while the dialog accepts Yes.
pub fn draw_button(
    theme: Theme,
    (button, rect): (Button, Rect),
    selected: Button,
    gate: &AnswerGate,
    canvas: &mut Canvas<'_>,
) {
    let name = BUTTONS.iter().find(|(known, ..)| *known == button).map_or("", |(_, name, _)| name);
    let is_bare = button == Button::Yes && !gate.is_open();
    let name = if is_bare { name.replace(['[', ']'], " ") } else { name.to_owned() };
    let role = match (button == selected, is_bare) {
        (true, _) => Role::Selected,
        (false, true) => Role::Faint,
        (false, false) => Role::Plain,
    };
    canvas.buffer.set_stringn(rect.x, rect.y, name, usize::from(rect.width), theme.style(role));
    canvas.hits.add(rect, Hit::Button(button));
}

impl Button {
    #[must_use]
    pub fn other(self) -> Self {
        match self {
            Self::Yes => Self::No,
            Self::No => Self::Yes,
        }
    }
}
