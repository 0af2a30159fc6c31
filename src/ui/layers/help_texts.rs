//! Texts of the help page, except the descriptions of the keys, which are in the key table.

use std::ops::Range;

use crate::base::text::printable;
use crate::ui::keys::{Answer, Command, Keymap, Scope};
use crate::ui::theme::Glyphs;

/// Minimum screen width in columns at which the title of the search field is shown in full.
const MIN_TITLE_COLUMNS: usize = 48;

/// Section of the help page: a heading, and the lines below the heading. Each line consists of keys, signs or mouse
/// gestures, and their description.
pub struct Section {
    pub heading: &'static str,
    pub lines: Vec<(String, &'static str)>,
}

/// Text shown if no line contains the search text.
pub const NO_MATCHES: &str = " No matches";

pub fn title(search: &str) -> String {
    match search {
        "" => " Keys".to_owned(),
        text => format!(" Keys matching \"{}\"", printable(text.as_bytes())),
    }
}

/// Returns the key hints after the title, the more important one first.
pub fn title_hints(keymap: &Keymap, search: &str) -> [String; 2] {
    let hint = |command, does| {
        let key = keymap.first(command, Scope::Help);
        key.map_or_else(String::new, |key| format!("   {key} {does}"))
    };
    let back = if search.is_empty() { "closes" } else { "clears" };
    [hint(Command::Back, back), hint(Command::Search, "searches")]
}

/// Returns the text that says which lines of a page are visible.
pub fn position(visible: Range<usize>, lines: usize) -> String {
    format!("{} to {} of {lines} ", visible.start + 1, visible.end)
}

/// Returns the title of the search field on a screen with `room` columns.
pub fn search_title(room: usize) -> &'static str {
    if room < MIN_TITLE_COLUMNS { " /" } else { " Search the keys: " }
}

/// Returns the key hints of the search field. The first text has the keys that keep and clear the search. The second,
/// shorter text has only the key that keeps the search.
pub fn search_hints(keymap: &Keymap) -> [String; 2] {
    let hint = |answer, does| {
        let key = keymap.first(Command::Answer(answer), Scope::Typing);
        key.map_or_else(String::new, |key| format!(" {key} {does} "))
    };
    let enter = hint(Answer::Selected, "keeps");
    let both = enter.clone() + &hint(Answer::No, "clears");
    [both, enter]
}

/// Returns the section that explains the signs before numbers and names.
pub fn signs(glyphs: Glyphs) -> Section {
    let line = |mark: &str, text| (mark.to_owned(), text);
    let lines = vec![
        line("!", "error here or below"),
        line(glyphs.at_least(), "at least"),
        line(glyphs.growing(), "may still change"),
        line(glyphs.recorded(), "from the previous scan"),
        line(glyphs.marked(), "marked"),
    ];
    Section { heading: "Signs", lines }
}

pub fn mouse() -> Section {
    let line = |what: &str, text| (what.to_owned(), text);
    let lines = vec![
        line("click", "select row, or sort"),
        line("double-click", "open"),
        line("Shift-drag", "select text"),
    ];
    Section { heading: "Mouse", lines }
}
