//! Strip: a bar that is divided into the parts of a whole, with a legend below.
//!
//! ```text
//! ████████████▓▓▓▓▓▓▒▒▒░░
//! ■ program 52%  ■ code 23%  ■ archive 12%
//! ```
//!
//! Without colors, each part is filled with a character: its symbol in the treemap, or the first letter of its name.
//! With colors, a part is left blank if its [`Role`] has no color, for example free space with sixteen colors.

use std::cmp::Reverse;

use ratatui::buffer::Buffer;
use ratatui::layout::Rect;
use ratatui::style::Style;
use ratatui::text::{Line, Span};

use crate::base::format::share;
use crate::base::sort::sort_by_key;
use crate::ui::context::Context;
use crate::ui::map_colors::sign_of;
use crate::ui::theme::{Colors, Glyphs, Role};

#[derive(Clone, Debug)]
pub struct StripPart {
    pub name: String,
    /// Size in bytes.
    pub bytes: u64,
    pub role: Role,
}

/// Draws a strip of two lines: the bar, and the legend below. `text` gets the size of a part and the size of the whole,
/// and returns the text after the part's name in the legend. Parts of zero bytes are not drawn. Each of the remaining
/// parts gets at least one cell, unless there are more parts than cells. If the legend has too little room, it omits
/// parts and ends in `…`. The first part is never omitted, and large parts are kept before small ones.
pub fn draw(
    cx: &Context<'_>,
    parts: &[StripPart],
    area: Rect,
    text: impl Fn(u64, u64) -> String,
    buffer: &mut Buffer,
) {
    if area.height < 2 || area.is_empty() {
        return;
    }
    let whole = parts.iter().fold(0, |sum: u64, part| sum.saturating_add(part.bytes));
    let (mut x, mut done) = (area.x, 0_u64);
    let mut texts = Vec::new();
    let mut more = u16::try_from(parts.iter().filter(|part| part.bytes > 0).count()).unwrap_or(u16::MAX);
    for StripPart { name, bytes, role } in parts.iter().filter(|part| part.bytes > 0) {
        // One cell is reserved for each of the remaining parts.
        more -= 1;
        done = done.saturating_add(*bytes);
        let cells = u32::from(area.width) * u32::from(share(done, whole)) / 1000;
        let end = area.x + u16::try_from(cells).unwrap_or(area.width).min(area.width);
        let end = end.min(area.right().saturating_sub(more)).max(x + 1).min(area.right());
        let style = cx.theme.style(*role);
        let color = style.bg.or(style.fg);
        let letter = sign_of(name).or_else(|| name.chars().next()).unwrap_or('#');
        for x in x..end {
            match color {
                Some(color) => drop(buffer[(x, area.y)].set_symbol(" ").set_bg(color)),
                None if cx.theme.colors == Colors::None => drop(buffer[(x, area.y)].set_char(letter)),
                None => {}
            }
        }
        x = end;
        let sign = match color {
            _ if cx.theme.colors == Colors::None || cx.theme.glyphs == Glyphs::Ascii => letter,
            Some(_) => '■',
            None => '□',
        };
        let sign = Span::styled(sign.to_string(), Style { fg: color, ..Style::new() });
        let text = Span::styled(format!(" {name} {}  ", text(*bytes, whole)), cx.theme.style(Role::Faint));
        texts.push((*bytes, sign, text));
    }
    // If the legend has too little room, the first part and then the largest parts take precedence.
    let mut order: Vec<usize> = (0..texts.len()).collect();
    sort_by_key(&mut order, |index| (*index > 0, Reverse(texts[*index].0)));
    let total: usize = texts.iter().map(|(.., text)| 1 + text.width()).sum();
    let width = usize::from(area.width);
    // Two blanks follow every part. If all parts fit, the blanks after the last part may be cut off. Otherwise, these
    // blanks are kept, because `…` follows them.
    let is_cut = total > width + 2;
    let gap = if is_cut { cx.theme.glyphs.gap() } else { "" };
    let mut room = if is_cut { width.saturating_sub(Span::raw(gap).width()) } else { width + 2 };
    order.retain(|index| {
        let width = 1 + texts[*index].2.width();
        let is_kept = width <= room || *index == 0;
        room = room.saturating_sub(if is_kept { width } else { 0 });
        is_kept
    });
    order.sort_unstable();
    let shown = order.into_iter().flat_map(|index| [texts[index].1.clone(), texts[index].2.clone()]);
    let mut legend = Line::from(shown.collect::<Vec<_>>());
    legend.push_span(Span::styled(gap, cx.theme.style(Role::Faint)));
    buffer.set_line(area.x, area.y + 1, &legend, area.width);
}
