//! Entry of the treemap, with all data shown in its rectangle.

use std::borrow::Cow;
use std::cmp::Ordering;

use crate::analysis::search::Category;
use crate::base::format::plain_size;
use crate::base::kind::Kind;
use crate::table::outline::{Level, Node};
use crate::table::row::Precision;
use crate::ui::context::Context;
use crate::ui::map_colors::MapColors;
use crate::ui::theme::Role;

/// Ages, in days, at which the color changes in a treemap colored by age.
const AGES: [i64; 4] = [30, 90, 365, 3 * 365];

#[derive(Clone, Debug)]
pub struct Shape<'a> {
    pub label: Cow<'a, str>,
    pub kind: Kind,
    /// Category of a file, or main category of a directory, if known.
    pub category: Option<Category>,
    pub size: u64,
    /// Time of the last change, if known.
    pub mtime: Option<i64>,
    pub change: Option<Ordering>,
    pub inner: Option<&'a Level>,
    pub is_selected: bool,
    /// Precision of the size.
    pub precision: Precision,
}

impl<'a> Shape<'a> {
    pub fn of(node: &'a Node) -> Self {
        let Node { label, kind, size, precision, mtime, change, category, inner, .. } = node;
        Self {
            label: Cow::Borrowed(label),
            kind: *kind,
            category: *category,
            size: *size,
            mtime: Some(*mtime),
            change: *change,
            inner: Some(inner),
            is_selected: false,
            precision: *precision,
        }
    }

    /// Returns the size as text. A size that is not exact has a symbol in front of it.
    pub fn size_text(&self, cx: &Context<'_>) -> String {
        let sign = cx.theme.glyphs.precision(self.precision);
        format!("{sign}{}", plain_size(self.size, cx.units))
    }

    /// Returns the role whose color represents the entry in a treemap colored by `colors`. `now` is in seconds since
    /// 1970.
    pub fn role(&self, colors: MapColors, now: i64) -> Role {
        match colors {
            MapColors::Type => self.category.map_or(Role::Other, Role::of),
            MapColors::Age => {
                let roles = MapColors::Age.legend();
                let days = self.mtime.map(|mtime| now.saturating_sub(mtime) / 86_400);
                match days.filter(|days| *days >= 0) {
                    Some(days) => roles[AGES.iter().filter(|age| days >= **age).count()].0,
                    None => Role::Other,
                }
            }
            MapColors::Growth => match self.change {
                Some(Ordering::Greater) => Role::More,
                Some(Ordering::Less) => Role::Less,
                Some(Ordering::Equal) | None => Role::Other,
            },
        }
    }
}
