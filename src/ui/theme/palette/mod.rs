//! Palette: the roles of text and cells, the color presets, and the colors chosen by the user.
//!
//! Every role, except those in the terminal's own text color, has one color for dark and one for light backgrounds.
//! Tests check that text is legible, and that users with any common form of color blindness can tell apart the colors
//! of the preset `color-blind`. In a terminal with 256 colors, each color is replaced by the nearest of the colors 16
//! to 255. The user may have redefined the first sixteen colors, so nothing important depends on them.
//!
//! Invariant: a style contains only colors that the terminal supports.

mod convert;

use ratatui::style::{Color, Modifier, Style};

use super::colors::Colors;
use crate::analysis::search::Category;
use convert::shown;
pub use convert::{color, color_name, filled, ink, mixed};

/// Role of a piece of text or of a treemap cell, which determines its color.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Role {
    Plain,
    /// Important text.
    Strong,
    /// Unimportant text.
    Faint,
    /// Keys, the current tab, and the symbol in front of the selected row.
    Accent,
    /// Background of the header and the status line.
    Surface,
    Directory,
    Link,
    /// Name of a device, pipe or socket.
    Special,
    /// Color of bars. In true-color terminals, bars have a gradient, and this is the color at its right end.
    Bar,
    /// Color at the left end of a bar's gradient, in true-color terminals.
    BarStart,
    /// Background of bars, visible in their unfilled part.
    Track,
    Warning,
    /// Text or cell that shows growth.
    More,
    /// Text or cell that shows shrinkage.
    Less,
    /// Background of the row under the cursor.
    Selected,
    Video,
    /// Treemap cell of a picture or an audio file.
    Media,
    Archive,
    Document,
    Code,
    Data,
    /// Treemap cell of a program or library.
    Program,
    /// Treemap cell of a file in any other category.
    Other,
    /// Treemap cell of an entry changed less than 30 days ago.
    Age1,
    /// Treemap cell of an entry changed 30 to 90 days ago.
    Age2,
    /// Treemap cell of an entry changed 90 days to a year ago.
    Age3,
    /// Treemap cell of an entry changed one to three years ago.
    Age4,
    /// Treemap cell of an entry that has not changed for three years.
    Age5,
}

struct RoleSpec {
    role: Role,
    /// Name used in the configuration.
    name: &'static str,
    /// Colors for terminals with sixteen colors, for a dark and for a light background; `None` means the terminal's own
    /// color. Text avoids bright black on any background, blue on dark backgrounds, and bright colors on light
    /// backgrounds, because some color schemes make these illegible.
    sixteen: Option<[Color; 2]>,
    /// Colors for a dark and for a light background, as `0xRRGGBB`; `None` means the terminal's own color.
    exact: Option<[u32; 2]>,
    /// Colors that replace `exact` in the preset `color-blind`; `None` if that preset also uses `exact`.
    distinct: Option<[u32; 2]>,
}

const fn own(role: Role, name: &'static str) -> RoleSpec {
    RoleSpec { role, name, sixteen: None, exact: None, distinct: None }
}

const fn text(role: Role, name: &'static str, sixteen: Color, dark: u32, light: u32) -> RoleSpec {
    RoleSpec { role, name, sixteen: Some([sixteen; 2]), exact: Some([dark, light]), distinct: None }
}

const fn tint(role: Role, name: &'static str, dark: u32, light: u32) -> RoleSpec {
    RoleSpec { role, name, sixteen: None, exact: Some([dark, light]), distinct: None }
}

const fn cell(
    role: Role,
    name: &'static str,
    sixteen: Color,
    exact: [u32; 2],
    distinct: [u32; 2],
) -> RoleSpec {
    RoleSpec { role, name, sixteen: Some([sixteen; 2]), exact: Some(exact), distinct: Some(distinct) }
}

const fn age(role: Role, name: &'static str, sixteen: Color, dark: u32, light: u32) -> RoleSpec {
    cell(role, name, sixteen, [dark, light], [dark, light])
}

/// Colors of all roles, in the order of [`Role`]. The colors for color-blind users are from Okabe and Ito,
/// "Color Universal Design" (2008), but have more contrast on light backgrounds.
static ROLES: [RoleSpec; 28] = [
    own(Role::Plain, "plain"),
    own(Role::Strong, "strong"),
    tint(Role::Faint, "faint", 0x86_8c_99, 0x68_6d_78),
    RoleSpec {
        sixteen: Some([Color::LightCyan, Color::Cyan]),
        ..tint(Role::Accent, "accent", 0x7a_a2_f7, 0x2a_58_c8)
    },
    tint(Role::Surface, "surface", 0x1e_21_2b, 0xe8_eb_f1),
    RoleSpec {
        sixteen: Some([Color::LightBlue, Color::Blue]),
        ..tint(Role::Directory, "directory", 0x7a_a2_f7, 0x2a_58_c8)
    },
    text(Role::Link, "link", Color::Cyan, 0x4f_b8_c6, 0x00_5f_70),
    RoleSpec {
        distinct: Some([0xf0_e4_42, 0x6e_52_00]),
        ..text(Role::Special, "special", Color::Magenta, 0xc7_92_ea, 0x7a_28_a6)
    },
    text(Role::Bar, "bar", Color::Cyan, 0x8c_c2_f8, 0x2d_62_c0),
    text(Role::BarStart, "bar-start", Color::Cyan, 0x3a_6f_c8, 0x7f_a8_ec),
    tint(Role::Track, "track", 0x26_28_2e, 0xe9_eb_ef),
    text(Role::Warning, "warning", Color::Red, 0xff_9e_65, 0x96_43_0a),
    RoleSpec {
        distinct: Some([0xe6_9f_00, 0x8a_52_00]),
        ..text(Role::More, "more", Color::Red, 0xf7_76_8e, 0xc0_26_3c)
    },
    RoleSpec {
        distinct: Some([0x56_b4_e9, 0x00_63_9c]),
        ..text(Role::Less, "less", Color::Green, 0x9e_ce_6a, 0x26_68_18)
    },
    RoleSpec { sixteen: Some([Color::Blue; 2]), ..tint(Role::Selected, "selected", 0x2b_3a_57, 0xc9_da_fa) },
    cell(Role::Video, "video", Color::Red, [0xd0_6a_52; 2], [0xd5_5e_00, 0xc2_41_00]),
    cell(Role::Media, "media", Color::Magenta, [0xc4_5c_9c; 2], [0xf0_e4_42, 0x69_73_07]),
    cell(Role::Archive, "archive", Color::Yellow, [0xc8_a0_50, 0xa9_7c_1e], [0xe6_9f_00, 0xb7_7f_0e]),
    cell(Role::Document, "document", Color::Cyan, [0x3f_a7_b5, 0x1f_8a_99], [0x56_b4_e9, 0x3f_9b_d6]),
    cell(Role::Code, "code", Color::Green, [0x4a_a8_7c, 0x2f_8a_5f], [0x00_9e_73, 0x00_91_67]),
    cell(Role::Data, "data", Color::LightMagenta, [0x93_77_d6; 2], [0xcc_79_a7, 0xce_73_9d]),
    cell(Role::Program, "program", Color::LightBlue, [0x5b_94_e8; 2], [0x00_72_b2, 0x17_65_cb]),
    cell(Role::Other, "other", Color::Gray, [0x6f_76_84; 2], [0x80_80_80, 0x6d_7a_82]),
    // The more recent the change, the higher the contrast of the color with the background.
    age(Role::Age1, "age-1", Color::LightCyan, 0xe2_ec_9c, 0x2f_5a_10),
    age(Role::Age2, "age-2", Color::Cyan, 0xbc_cb_5c, 0x56_6a_10),
    age(Role::Age3, "age-3", Color::Green, 0x93_a3_3c, 0x5f_80_18),
    age(Role::Age4, "age-4", Color::Yellow, 0x71_80_3a, 0x85_90_1c),
    age(Role::Age5, "age-5", Color::Red, 0x60_6c_3a, 0xa6_a8_20),
];

impl Role {
    pub const ALL: [Self; 28] = {
        let mut all = [Self::Plain; 28];
        let mut at = 0;
        while at < all.len() {
            all[at] = ROLES[at].role;
            at += 1;
        }
        all
    };

    pub fn name(self) -> &'static str {
        self.spec().name
    }

    /// Returns the role of a treemap cell for this category. Related categories share a role.
    pub fn of(class: Category) -> Self {
        match class {
            Category::Video => Self::Video,
            Category::Image | Category::Audio => Self::Media,
            Category::Archive | Category::DiskImage => Self::Archive,
            Category::Document | Category::Font => Self::Document,
            Category::Code => Self::Code,
            Category::Data => Self::Data,
            Category::Program => Self::Program,
            Category::Log | Category::Temporary | Category::Other => Self::Other,
        }
    }

    /// Returns `true` if this role colors treemap cells by file category.
    pub fn is_category(self) -> bool {
        self.is_cell() && (self as usize) < Self::Age1 as usize
    }

    /// Returns `true` if this role colors treemap cells by file category or by age.
    pub fn is_cell(self) -> bool {
        self as usize >= Self::Video as usize
    }

    /// Returns `true` if the role's color is a background color.
    fn is_background(self) -> bool {
        matches!(self, Self::Surface | Self::Track | Self::Selected)
    }

    fn spec(self) -> &'static RoleSpec {
        &ROLES[self as usize]
    }
}

/// Brightness of the terminal's background.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Background {
    /// Darker than the text.
    #[default]
    Dark,
    /// Brighter than the text.
    Light,
}

impl Background {
    /// Returns the background according to the value of `COLORFGBG`, which contains the ANSI color numbers of text and
    /// background, such as `15;0`. The default is dark.
    pub fn detect(variable: Option<&str>) -> Self {
        let number = variable.and_then(|colors| colors.rsplit(';').next()?.parse::<u8>().ok());
        if matches!(number, Some(7 | 9..=15)) { Self::Light } else { Self::Dark }
    }
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Preset {
    /// Colors that depend on whether the background is dark or light.
    #[default]
    Default,
    Dark,
    Light,
    /// Colors that color-blind users can tell apart.
    ColorBlind,
    /// Preset with colors only in the treemap, and in bars that show types or ages. Text keeps the terminal's own color
    /// and is never dimmed. Warnings are underlined.
    HighContrast,
    Plain,
}

impl Preset {
    pub const ALL: [Self; 6] =
        [Self::Default, Self::Dark, Self::Light, Self::ColorBlind, Self::HighContrast, Self::Plain];

    pub fn name(self) -> &'static str {
        match self {
            Self::Default => "default",
            Self::Dark => "dark",
            Self::Light => "light",
            Self::ColorBlind => "color-blind",
            Self::HighContrast => "high-contrast",
            Self::Plain => "plain",
        }
    }

    /// Returns `true` if the preset has different colors for dark and light backgrounds.
    pub fn adapts(self) -> bool {
        matches!(self, Self::Default | Self::ColorBlind)
    }

    /// Returns the background that the preset requires, or `background` if the preset does not require one.
    fn on(self, background: Background) -> Background {
        match self {
            Self::Dark => Background::Dark,
            Self::Light => Background::Light,
            _ => background,
        }
    }

    fn color(self, role: Role, background: Background, colors: Colors) -> Option<Color> {
        let spec = role.spec();
        let exact = match self {
            Self::Plain => return None,
            Self::HighContrast if !role.is_cell() => return None,
            Self::ColorBlind => spec.distinct.or(spec.exact),
            _ => spec.exact,
        };
        match colors {
            Colors::None => None,
            Colors::Sixteen => Some(spec.sixteen?[self.on(background) as usize]),
            Colors::Palette | Colors::True => {
                shown(Color::from_u32(exact?[self.on(background) as usize]), colors)
            }
        }
    }

    fn modifiers(self, role: Role, has_color: bool) -> Modifier {
        match (role, self) {
            (Role::Selected, Self::HighContrast) => Modifier::REVERSED | Modifier::BOLD,
            (Role::Warning, Self::HighContrast) => Modifier::BOLD | Modifier::UNDERLINED,
            (Role::Selected, _) if !has_color => Modifier::REVERSED,
            (Role::Strong | Role::Directory | Role::Accent | Role::Warning, _) => Modifier::BOLD,
            (Role::Faint, Self::HighContrast) => Modifier::empty(),
            (Role::Faint, _) if !has_color => Modifier::DIM,
            _ => Modifier::empty(),
        }
    }
}

/// Color preset, background of the terminal, and colors chosen by the user.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct ThemeOptions {
    /// Preset for all roles without a color chosen by the user.
    pub preset: Preset,
    pub background: Background,
    /// Colors chosen by the user, in the order of [`Role::ALL`].
    own: [Option<Color>; Role::ALL.len()],
}

impl ThemeOptions {
    pub fn set(&mut self, role: Role, color: Color) {
        self.own[role as usize] = Some(color);
    }

    pub fn own(&self, role: Role) -> Option<Color> {
        self.own[role as usize]
    }

    pub fn is_dark(&self) -> bool {
        self.preset.on(self.background) == Background::Dark
    }

    /// Returns the style of `role`, with a legible text color if the role is a background color.
    pub(super) fn style(&self, role: Role, colors: Colors) -> Style {
        let own = self.own(role).and_then(|color| shown(color, colors));
        let color = own.or_else(|| self.preset.color(role, self.background, colors));
        let style = Style::new().add_modifier(self.preset.modifiers(role, color.is_some()));
        match color {
            Some(color) if role.is_background() => filled(style.fg(color)),
            Some(color) => style.fg(color),
            None => style,
        }
    }
}

#[cfg(test)]
mod tests;
