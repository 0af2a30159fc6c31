//! Titles of views. A title can have several versions of different lengths.

use std::borrow::Cow;

use jiff::tz::TimeZone;

use crate::base::calendar::{date, date_and_time, exact_time};
use crate::base::format::elapsed;
use crate::base::text::{beginning, width};
use crate::source::baseline::BaselineInfo;

/// Title, escaped for the terminal. An empty title is not shown.
#[derive(Clone, Debug)]
pub struct Title {
    /// Versions of the title, longest first. There is at least one.
    versions: Vec<String>,
}

impl Title {
    /// Adds a shorter version, which is used if the longer versions do not fit.
    #[must_use]
    pub fn or(mut self, shorter: String) -> Self {
        self.versions.push(shorter);
        self
    }

    /// Returns the longest version.
    pub fn text(&self) -> &str {
        &self.versions[0]
    }

    /// Applies `change` to each version.
    #[must_use]
    pub fn map(self, change: impl Fn(&str) -> String) -> Self {
        Self { versions: self.versions.iter().map(|text| change(text)).collect() }
    }

    /// Returns the longest version that fits into `columns` columns, or the beginning of the shortest one.
    pub fn fit(&self, columns: usize, gap: &str) -> Cow<'_, str> {
        let shortest = &self.versions[self.versions.len() - 1];
        let fitting = self.versions.iter().find(|text| width(text) <= columns);
        beginning(fitting.unwrap_or(shortest), columns, gap)
    }
}

impl From<String> for Title {
    fn from(text: String) -> Self {
        Self { versions: vec![text] }
    }
}

impl Default for Title {
    fn default() -> Self {
        String::new().into()
    }
}

/// Returns the title of the list of several roots.
pub fn roots_title(roots: usize) -> String {
    format!("{roots} roots")
}

/// Returns the title of a view whose rows are from the previous scan. `time` is the time of that scan.
pub fn recorded_title(title: Title, time: &str) -> Title {
    title.map(|title| format!("{title} as of {time}"))
}

/// Returns the title of a view that needs a baseline. The longest version contains the time and age of the baseline,
/// and its position among several baselines; the shortest version contains only its date.
pub fn baseline_title(name: &str, (since, info): (i64, BaselineInfo), now: i64, zone: &TimeZone) -> Title {
    let age = elapsed(since, now);
    let number = format!("snapshot {} of {}", info.index + 1, info.count);
    let (long, short) = match info.count {
        0 | 1 => (format!(" ({age} ago)"), String::new()),
        _ => (format!(" ({age} ago, {number})"), format!(" ({number})")),
    };
    // There can be several snapshots from the same minute, so recent times are shown with seconds.
    let is_recent = now.saturating_sub(since) < 86_400;
    let time = if is_recent { exact_time(since, zone) } else { date_and_time(since, zone) };
    let day = date(since, zone);
    Title::from(format!("{name} since {time}{long}"))
        .or(format!("{name} since {time}{short}"))
        .or(format!("{name} since {time}"))
        .or(format!("{name} since {day}"))
        .or(format!("since {day}"))
}
