//! Drawing of the deletion dialog: the entries, the preview, and the buttons.
//!
//! ```text
//! ┌ Delete permanently? ─────────────────────────────────┐
//! │ /home/me/project/target                      1.2 GiB │
//! │ 12,345 files, 678 directories                        │
//! │ frees at least 1.2 GiB, up to 1.9 GiB                │
//! │ last change 3 hours ago                              │
//! │ 2 mount points inside are kept                       │
//! │ e switches to deleting only the contents             │
//! │                                                      │
//! │                  [ Yes ]   [ No ]                    │
//! └──────────────────────────────────────────────────────┘
//! ```
//!
//! Lines appear as the preview proceeds. The Yes button has brackets only while the dialog accepts Yes
//! ([`crate::ui::answer_gate`]). The buttons are drawn on a screen of any size.
//!
//! Invariant: a name never occupies more than one line.

use ratatui::layout::Rect;
use ratatui::text::{Line, Span};
use ratatui::widgets::{Clear, Paragraph, Widget};

use super::texts::{Fact, fitting, title, wait};
use super::{ConfirmStep, DeleteDialog};
use crate::base::text::{fit, width};
use crate::ui::context::Context;
use crate::ui::hit_map::{Button, Canvas};
use crate::ui::layers::dialog::{BUTTONS, bordered, draw_button, side_by_side};
use crate::ui::theme::Role;
use crate::ui::widgets::field;

/// Maximum width of the dialog in columns.
const WIDEST: u16 = 76;
/// Minimum width, in columns, of a line that shows the size beside the path.
const MIN_SIZE_COLUMNS: usize = 30;
/// Number of blank columns on either side of the dialog.
const MARGIN: u16 = 2;
struct Plan<'a> {
    rect: Rect,
    is_framed: bool,
    lines: Vec<Line<'a>>,
    buttons: Vec<(Button, Rect)>,
}

fn plan<'a>(cx: &Context<'_>, dialog: &DeleteDialog, area: Rect) -> Plan<'a> {
    let is_framed = area.width >= 16 && area.height >= 5;
    let frame = u16::from(is_framed) * 2;
    let inner = usize::from(area.width.min(WIDEST) - frame.min(area.width));
    // One line is for the buttons. If there is no frame, another line is for the title.
    let room = usize::from((area.height - frame).saturating_sub(2 - frame / 2));
    let metadata = fitting(cx, dialog, room);
    let mut lines: Vec<Line<'a>> = metadata.iter().map(|fact| line(cx, fact, inner)).collect();
    if is_framed && lines.len() < room {
        lines.push(Line::default());
    }
    lines.push(answer(cx, dialog, inner));
    if !is_framed && usize::from(area.height) > lines.len() {
        lines.insert(0, Line::styled(title(dialog), cx.theme.style(Role::Strong)));
    }
    let height = u16::try_from(lines.len()).unwrap_or(u16::MAX).saturating_add(frame).min(area.height);
    let width = area.width.min(WIDEST);
    let (x, y) = (area.x + (area.width - width) / 2, area.y + (area.height - height) / 2);
    let rect = Rect { x, y, width, height };
    let last = Rect { y: rect.bottom().saturating_sub(1 + frame / 2), height: 1, ..rect };
    Plan { rect, is_framed, lines, buttons: buttons(dialog, last.intersection(rect)) }
}

/// Returns the buttons: none while the user types a name, and only No if the preview does not allow the deletion.
fn buttons(dialog: &DeleteDialog, line: Rect) -> Vec<(Button, Rect)> {
    let [yes, no] = BUTTONS;
    let button_at = |((button, ..), rect): ((Button, &str, u16), Rect)| (button, rect);
    match dialog.stage {
        ConfirmStep::Type(..) => Vec::new(),
        _ if dialog.preview.is_none() || dialog.is_open() => {
            BUTTONS.into_iter().zip(side_by_side([yes, no], line)).map(button_at).collect()
        }
        _ => [no].into_iter().zip(side_by_side([no], line)).map(button_at).collect(),
    }
}

impl DeleteDialog {
    pub fn draw_in(&self, cx: &Context<'_>, area: Rect, canvas: &mut Canvas<'_>) {
        canvas.hits.clear();
        if area.is_empty() {
            return;
        }
        let Plan { rect, is_framed, lines, buttons } = plan(cx, self, area);
        // Clear a margin beside the frame, because a narrow strip of the view would look like part of the dialog.
        let left = rect.x.saturating_sub(MARGIN).max(area.x);
        let right = rect.right().saturating_add(MARGIN).min(area.right());
        Clear.render(Rect { x: left, width: right - left, ..rect }, canvas.buffer);
        if let (ConfirmStep::Type(..), Some(line), true) = (&self.stage, lines.last(), self.gate.was_open()) {
            let frame = u16::from(is_framed);
            let last = Rect { x: rect.x + frame, y: rect.bottom() - 1 - frame, height: 1, ..rect };
            field::record_caret(&line.spans, last.intersection(rect), canvas);
        }
        let text = Paragraph::new(lines);
        if is_framed {
            let inner = usize::from(rect.width.saturating_sub(2));
            let title = fit(title(self), inner.saturating_sub(2), cx.theme.glyphs.gap()).into_owned();
            let title = Span::styled(format!(" {title} "), cx.theme.style(Role::Strong));
            text.block(bordered(cx.theme).title(title)).render(rect, canvas.buffer);
        } else {
            text.render(rect, canvas.buffer);
        }
        for button in buttons {
            draw_button(cx.theme, button, self.button, &self.gate, canvas);
        }
    }
}

fn line<'a>(cx: &Context<'_>, fact: &Fact, room: usize) -> Line<'a> {
    let gap = cx.theme.glyphs.gap();
    let right = if room < MIN_SIZE_COLUMNS { "" } else { &fact.right };
    let right = fit(right, room / 2, gap).into_owned();
    let left = room.saturating_sub(width(&right) + 1 + 2 * usize::from(!right.is_empty()));
    let text = fit(&fact.left, left, gap).into_owned();
    let fill = room.saturating_sub(1 + width(&text) + width(&right)) * usize::from(!right.is_empty());
    let fill = fill.saturating_sub(1);
    Line::styled(format!(" {text}{}{right}", " ".repeat(fill)), cx.theme.style(fact.role))
}

/// Returns the last line: the text field for the name, `wait…` until the field accepts letters, or an empty line for
/// the buttons.
fn answer<'a>(cx: &Context<'_>, dialog: &DeleteDialog, room: usize) -> Line<'a> {
    match &dialog.stage {
        // Letters are accepted only after the user has had time to read the name. Until then, no text field is drawn.
        ConfirmStep::Type(..) if !dialog.gate.was_open() => {
            Line::styled(wait(cx.theme.glyphs), cx.theme.style(Role::Faint))
        }
        ConfirmStep::Type(_, typed) => {
            Line::from(field::spans(cx.theme, " > ", typed, room.saturating_sub(2)))
        }
        // The buttons are drawn on this line later.
        ConfirmStep::Ask | ConfirmStep::AskAgain => Line::default(),
    }
}
