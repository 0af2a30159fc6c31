//! Title of a view, in several lengths.

use std::borrow::Cow;

use crate::base::text::{beginning, width};

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
