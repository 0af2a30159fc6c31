//! Conversion of colors to and from names, to and from red, green and blue components, and to the nearest color that a
//! terminal supports.

use std::str::FromStr;

use ratatui::style::{Color, Style};

use super::super::colors::Colors;

/// Returns a style that fills a cell with the foreground color of `style`. The text is black or white, whichever has
/// more contrast. If the terminal determines the components of the color, returns the reversed `style` instead, so the
/// text has the terminal's background color. Exception: text on `Color::Blue` is white.
pub fn filled(style: Style) -> Style {
    const BLACK: Color = Color::Indexed(16);
    const WHITE: Color = Color::Indexed(231);
    /// Luminance above which black text has more contrast than white text, in thousandths of the luminance of white.
    const BRIGHT: u32 = 210;
    let parts = match style.fg {
        Some(Color::Rgb(red, green, blue)) => [red, green, blue],
        Some(Color::Indexed(index @ 16..)) => exact(index),
        // White text on blue is legible in every color scheme, whereas black text is not.
        Some(Color::Blue) => return style.bg(Color::Blue).fg(Color::White),
        _ => return style.reversed(),
    };
    // The square of a component is approximately proportional to its luminance.
    let [red, green, blue] = parts.map(|part| u32::from(part).pow(2));
    let light = (213 * red + 715 * green + 72 * blue) / (255 * 255);
    style.bg(style.fg.unwrap_or_default()).fg(if light > BRIGHT { BLACK } else { WHITE })
}

/// Returns the text color for a background: black or white, whichever has more contrast.
pub fn ink(background: Color) -> Color {
    let style = filled(Style::new().fg(background));
    // If `filled` sets no background, only the terminal knows the RGB value of the color. The contrast is then unknown,
    // but black text is usually legible.
    style.bg.and(style.fg).unwrap_or(Color::Black)
}

/// Mixes two colors. `part / whole` is the share of `other`. Returns `one` unless both colors are [`Color::Rgb`].
pub fn mixed(one: Color, other: Color, (part, whole): (u16, u16)) -> Color {
    let (Color::Rgb(r, g, b), Color::Rgb(red, green, blue)) = (one, other) else { return one };
    let mix = |one: u8, other: u8| {
        let sum = u32::from(one) * u32::from(whole - part) + u32::from(other) * u32::from(part);
        u8::try_from(sum / u32::from(whole.max(1))).unwrap_or(other)
    };
    Color::Rgb(mix(r, red), mix(g, green), mix(b, blue))
}

/// Parses a color: a name (`blue`, `bright-blue`), a number of the 256-color palette, `#rrggbb`, or `terminal`
/// for the terminal's text color.
///
/// # Errors
/// Returns an error if the color is unknown.
pub fn color(word: &str) -> Result<Color, String> {
    if word.eq_ignore_ascii_case("terminal") {
        return Ok(Color::Reset);
    }
    Color::from_str(word)
        .map_err(|_| "unknown color; use one such as blue, bright-blue, 32, #3a80c4 or terminal".to_owned())
}

/// Returns the name of a color, in a form that [`color`] can parse.
pub fn color_name(color: Color) -> String {
    match color {
        Color::Reset => "terminal".to_owned(),
        other => other.to_string().to_lowercase(),
    }
}

/// Returns the nearest color that the terminal supports; `None` if it supports no colors.
pub fn shown(color: Color, colors: Colors) -> Option<Color> {
    match (color, colors) {
        (_, Colors::None) => None,
        (Color::Rgb(red, green, blue), Colors::Palette) => {
            Some(Color::Indexed(nearest_of_palette([red, green, blue])))
        }
        (Color::Rgb(red, green, blue), Colors::Sixteen) => {
            Some(Color::Indexed(nearest(0..16, [red, green, blue])))
        }
        (Color::Indexed(index @ 16..), Colors::Sixteen) => Some(Color::Indexed(nearest(0..16, exact(index)))),
        (color, _) => Some(color),
    }
}

/// Returns the index from `indexes` whose palette color is nearest to `wanted`.
pub fn nearest(indexes: impl IntoIterator<Item = u8>, wanted: [u8; 3]) -> u8 {
    indexes.into_iter().min_by_key(|index| distance(*index, wanted)).unwrap_or(7)
}

/// Returns the squared distance between a palette color and `wanted` in RGB space.
pub fn distance(index: u8, wanted: [u8; 3]) -> u32 {
    let parts = exact(index).into_iter().zip(wanted);
    parts.map(|(one, other)| u32::from(one.abs_diff(other)).pow(2)).sum()
}

/// Returns the index of the color from 16 to 255 that is nearest to `wanted`. Compares only the nearest color of the
/// cube and the nearest gray, because the function is called for most cells of a frame.
pub fn nearest_of_palette(wanted: [u8; 3]) -> u8 {
    // The steps of the cube are 0, 95, 135, 175, 215 and 255; the grays are 8, 18, and so on up to 238.
    let [red, green, blue] =
        wanted.map(|part| if part < 48 { 0 } else { part.saturating_sub(35).max(40) / 40 });
    let sum: u16 = wanted.map(u16::from).iter().sum();
    let gray = u8::try_from(sum / 3).unwrap_or(u8::MAX).saturating_sub(3) / 10;
    nearest([16 + 36 * red + 6 * green + blue, 232 + gray.min(23)], wanted)
}

/// Returns the red, green and blue components of a color in xterm's palette (256colres.h): sixteen colors, a
/// cube with six steps per side, and twenty-four grays.
pub fn exact(index: u8) -> [u8; 3] {
    const HALF: u8 = 0xcd;
    // Colors 4, 7, 8 and 12, which do not follow the pattern of the others.
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
