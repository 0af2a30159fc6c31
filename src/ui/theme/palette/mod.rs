//! Palette: roles of text and cells, presets of colors, and the user's own colors.
//!
//! Each color is legible on black and on white, as text or as a cell, and no two are easily confused, even with
//! color blindness. Tests compute both. The appearance of the sixteen ANSI colors is unknown, so nothing
//! important depends on them.
//!
//! Invariant: a style contains only colors that the terminal supports.

use std::str::FromStr;

use ratatui::style::{Color, Modifier, Style};

use super::Colors;
use crate::analysis::search::Category;

/// Role of text, or of a cell in the treemap.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Role {
    /// Ordinary text.
    Plain,
    /// Important text.
    Strong,
    /// Unimportant text.
    Faint,
    /// Bars in lists, and cells of directories.
    Bar,
    /// Warnings and errors.
    Warning,
    /// Row under the cursor.
    Selected,
    /// Cell of a video.
    Video,
    /// Cell of a picture or sound.
    Media,
    /// Cell of an archive or disk image.
    Archive,
    /// Cell of a document.
    Document,
    /// Cell of a program, source code or data.
    Code,
}

impl Role {
    /// All roles.
    pub const ALL: [Self; 11] = [
        Self::Plain,
        Self::Strong,
        Self::Faint,
        Self::Bar,
        Self::Warning,
        Self::Selected,
        Self::Video,
        Self::Media,
        Self::Archive,
        Self::Document,
        Self::Code,
    ];

    /// Returns the name used in the configuration.
    pub fn name(self) -> &'static str {
        match self {
            Self::Plain => "plain",
            Self::Strong => "strong",
            Self::Faint => "faint",
            Self::Bar => "bar",
            Self::Warning => "warning",
            Self::Selected => "selected",
            Self::Video => "video",
            Self::Media => "media",
            Self::Archive => "archive",
            Self::Document => "document",
            Self::Code => "code",
        }
    }

    /// Returns the role of a cell for a file of this category. Related categories share a role.
    pub fn of(class: Category) -> Self {
        match class {
            Category::Video => Self::Video,
            Category::Image | Category::Audio => Self::Media,
            Category::Archive | Category::DiskImage => Self::Archive,
            Category::Document | Category::Font => Self::Document,
            Category::Code | Category::Data | Category::Program => Self::Code,
            Category::Log | Category::Temporary | Category::Other => Self::Faint,
        }
    }

    /// Returns `true` if the role is that of a category's cell.
    fn is_category(self) -> bool {
        matches!(self, Self::Video | Self::Media | Self::Archive | Self::Document | Self::Code)
    }

    /// Returns the color of the role in this range of colors. With sixteen colors, unimportant text and bars
    /// have none: some color schemes use bright black as the background, and in others blue is illegible.
    fn color(self, colors: Colors) -> Option<Color> {
        let (sixteen, indexed, exact) = match self {
            Self::Plain | Self::Strong | Self::Selected => return None,
            Self::Faint => (None, 244, 0x80_80_80),
            Self::Bar => (None, 32, 0x3a_80_c4),
            Self::Warning => (Some(Color::Red), 166, 0xc4_64_0a),
            Self::Video => (Some(Color::Red), 124, 0x9c_3c_18),
            Self::Media => (Some(Color::Magenta), 93, 0x6c_48_e4),
            Self::Archive => (Some(Color::Yellow), 172, 0xa8_90_60),
            Self::Document => (Some(Color::Cyan), 23, 0x00_6c_84),
            Self::Code => (Some(Color::Green), 35, 0x54_a8_00),
        };
        match colors {
            Colors::None => None,
            Colors::Sixteen => sixteen,
            Colors::Palette => Some(Color::Indexed(indexed)),
            Colors::True => Some(Color::from_u32(exact)),
        }
    }
}

/// Preset of colors.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Preset {
    /// A few colors that distinguish kinds.
    #[default]
    Default,
    /// No colors.
    Plain,
    /// Text in the terminal's own colors, without dimmed text; errors are underlined.
    HighContrast,
}

impl Preset {
    /// All presets.
    pub const ALL: [Self; 3] = [Self::Default, Self::Plain, Self::HighContrast];

    /// Returns the name used in the configuration.
    pub fn name(self) -> &'static str {
        match self {
            Self::Default => "default",
            Self::Plain => "plain",
            Self::HighContrast => "high-contrast",
        }
    }

    fn color(self, role: Role, colors: Colors) -> Option<Color> {
        match self {
            Self::Default => role.color(colors),
            Self::Plain => None,
            Self::HighContrast => role.color(colors).filter(|_| role.is_category()),
        }
    }

    fn modifiers(self, role: Role, has_color: bool) -> Modifier {
        match (role, self) {
            (Role::Selected, Self::HighContrast) => Modifier::REVERSED | Modifier::BOLD,
            (Role::Warning, Self::HighContrast) => Modifier::BOLD | Modifier::UNDERLINED,
            (Role::Selected, _) => Modifier::REVERSED,
            (Role::Strong | Role::Warning, _) => Modifier::BOLD,
            (Role::Faint, Self::Default | Self::Plain) if !has_color => Modifier::DIM,
            _ => Modifier::empty(),
        }
    }
}

/// Preset, and the user's own colors in addition.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Looks {
    /// Preset for roles without a color of the user's own.
    pub preset: Preset,
    /// The user's own colors by role, in the order of [`Role::ALL`].
    own: [Option<Color>; Role::ALL.len()],
}

impl Looks {
    /// Sets the user's own color for a role.
    pub fn set(&mut self, role: Role, color: Color) {
        self.own[role as usize] = Some(color);
    }

    /// Returns the user's own color for a role, if there is one.
    pub fn own(&self, role: Role) -> Option<Color> {
        self.own[role as usize]
    }

    /// Returns the style of `role`. The user's own colors take precedence.
    pub(super) fn style(&self, role: Role, colors: Colors) -> Style {
        let own = self.own(role).and_then(|color| shown(color, colors));
        let color = own.or_else(|| self.preset.color(role, colors));
        let style = Style::new().add_modifier(self.preset.modifiers(role, color.is_some()));
        color.map_or(style, |color| style.fg(color))
    }
}

/// Returns a style that fills a cell with the foreground color of `style` and sets text to black or white,
/// whichever has more contrast. If the color's appearance is unknown, text gets the terminal's background
/// color.
pub fn filled(style: Style) -> Style {
    const BLACK: Color = Color::Indexed(16);
    const WHITE: Color = Color::Indexed(231);
    /// Luminance, in thousandths of white's, above which black text has more contrast.
    const BRIGHT: u32 = 210;
    let parts = match style.fg {
        Some(Color::Rgb(red, green, blue)) => [red, green, blue],
        Some(Color::Indexed(index @ 16..)) => exact(index),
        _ => return style.reversed(),
    };
    // The square of a component is approximately proportional to its luminance.
    let [red, green, blue] = parts.map(|part| u32::from(part).pow(2));
    let light = (213 * red + 715 * green + 72 * blue) / (255 * 255);
    style.bg(style.fg.unwrap_or_default()).fg(if light > BRIGHT { BLACK } else { WHITE })
}

/// Parses a color: a name (`blue`, `bright-blue`), an index into the 256-color palette, `#rrggbb`, or
/// `terminal` for the terminal's text color.
///
/// # Errors An error message for an unknown color.
pub fn color(word: &str) -> Result<Color, String> {
    if word.eq_ignore_ascii_case("terminal") {
        return Ok(Color::Reset);
    }
    Color::from_str(word)
        .map_err(|_| "unknown color; write colors like blue, bright-blue, 32, #3a80c4, terminal".to_owned())
}

/// Returns a name of the color that [`color`] accepts.
pub fn color_name(color: Color) -> String {
    match color {
        Color::Reset => "terminal".to_owned(),
        other => other.to_string().to_lowercase(),
    }
}

/// Returns the nearest color that the terminal supports.
fn shown(color: Color, colors: Colors) -> Option<Color> {
    match (color, colors) {
        (_, Colors::None) => None,
        (Color::Rgb(red, green, blue), Colors::Palette) => {
            Some(Color::Indexed(nearest(16, 256, [red, green, blue])))
        }
        (Color::Rgb(red, green, blue), Colors::Sixteen) => {
            Some(Color::Indexed(nearest(0, 16, [red, green, blue])))
        }
        (Color::Indexed(index @ 16..), Colors::Sixteen) => Some(Color::Indexed(nearest(0, 16, exact(index)))),
        (color, _) => Some(color),
    }
}

/// Returns the index of the nearest color in `first..end` of the palette.
fn nearest(first: u16, end: u16, wanted: [u8; 3]) -> u8 {
    let distance = |index: u8| -> u32 {
        let parts = exact(index).into_iter().zip(wanted);
        parts.map(|(one, other)| u32::from(one.abs_diff(other)).pow(2)).sum()
    };
    let indices = (first..end).filter_map(|index| u8::try_from(index).ok());
    indices.min_by_key(|index| distance(*index)).unwrap_or(7)
}

/// Returns the components of a color in xterm's palette (256colres.h): sixteen colors, a 6x6x6 cube, and
/// twenty-four grays.
fn exact(index: u8) -> [u8; 3] {
    const HALF: u8 = 0xcd;
    // These four of the first sixteen colors do not follow the pattern.
    const BLUE: [u8; 3] = [0, 0, 0xee];
    const WHITE: [u8; 3] = [0xe5; 3];
    const GREY: [u8; 3] = [0x7f; 3];
    const BRIGHT_BLUE: [u8; 3] = [0x5c, 0x5c, 0xff];
    let bits = |full: u8| [0, 1, 2].map(|bit| if index >> bit & 1 == 1 { full } else { 0 });
    let side = |step: u8| if step == 0 { 0 } else { 55 + 40 * step };
    match index {
        4 => BLUE,
        7 => WHITE,
        8 => GREY,
        12 => BRIGHT_BLUE,
        0..=6 => bits(HALF),
        9..=15 => bits(0xff),
        16..=231 => [(index - 16) / 36, (index - 16) / 6 % 6, (index - 16) % 6].map(side),
        232.. => [8 + 10 * (index - 232); 3],
    }
}

#[cfg(test)]
mod tests;
