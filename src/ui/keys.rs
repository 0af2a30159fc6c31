//! The keys: one table that gives lookup, help page, footer and the README's table; the configuration may change it.
//!
//! Knows no state. Invariant: in one mode a key means one thing.

mod keymap;
mod name;
mod spelling;
mod table;

use std::fmt::Write;

use ratatui::crossterm::event::{KeyCode, KeyEvent, KeyModifiers};

use crate::rows::Column;
pub use keymap::{Keymap, line};
pub use table::KEYMAP;

/// What a key asks for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Command {
    /// Move the cursor, or scroll a page of text.
    Move(Motion),
    /// Go into the directory under the cursor.
    Open,
    /// Open the directory under the cursor as if it lay here.
    Inside,
    /// Go to the directory above.
    Parent,
    /// Sort by a column, or the other way round if it is that one already.
    Sort(Column),
    /// Switch between apparent sizes and disk usage.
    Measure,
    /// Show or hide the number of items.
    Items,
    /// Show or hide the time of last change.
    Modified,
    /// Show or hide what hard links share.
    Shared,
    /// Bars as shares of the directory, or of its largest entry.
    Scale,
    /// Directories before everything else, or not.
    DirectoriesFirst,
    /// Show or hide entries whose name begins with a dot, and excluded ones.
    Hidden,
    /// Show bar and percent, one of them, or none.
    Graph,
    /// Open the help page.
    Help,
    /// Close what is open.
    Back,
    /// Leave, after a question if something would be lost.
    Quit,
    /// Stop the scan and keep what was read; without a scan, leave.
    Interrupt,
    /// Stop the program until the shell continues it.
    Suspend,
    /// Draw everything anew.
    Repaint,
    /// Answer a question.
    Answer(Answer),
    /// Show the directory, or what lies below it, in this way.
    View(View),
    /// Type what to search for.
    Search,
    /// To the next cell of the treemap.
    Cell(Side),
    /// Stay with what was typed.
    Accept,
    /// Take the last letter away.
    Erase,
    /// Take all letters away.
    EraseAll,
    /// Read the directory under the cursor again.
    Rescan,
    /// Read the root that is shown again.
    RescanRoot,
    /// Mark, or take the mark off.
    Mark,
    /// Begin a range, or mark it.
    MarkRange,
    /// Mark everything that is shown.
    MarkShown,
    /// Mark what is not marked here, and the other way round.
    InvertMarks,
    /// List the marks.
    Marks,
    /// Leave and print the marks.
    PrintMarks,
    /// Write everything to a file.
    Export,
    /// Put the path where it can be pasted.
    CopyPath,
    /// Delete the marks or the entry, after a question.
    Delete,
    /// Move the marks or the entry to the trash, after a question.
    Trash,
    /// Restore what was trashed last.
    Restore,
    /// Write a script that removes the marks or the entry.
    Script,
    /// Empty the directory instead of deleting it.
    Empty,
    /// Try once more to delete what stays.
    Retry,
    /// Show all there is to know of one entry.
    Inspect,
    /// Start a program.
    Start(Program),
}

/// Programs that can be started.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Program {
    /// A shell, in the directory.
    Shell,
    /// A pager, for the file under the cursor.
    Pager,
    /// What the desktop has for the entry under the cursor.
    Opener,
}

impl Command {
    /// Whether it means the same wherever one is.
    pub fn is_global(self) -> bool {
        matches!(self, Self::Suspend | Self::Repaint | Self::Interrupt)
    }
}

/// Ways to look at a directory.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum View {
    /// Its entries.
    #[default]
    List,
    /// The largest files below it.
    Largest,
    /// What they are.
    Types,
    /// When they were changed.
    Ages,
    /// Its entries as rectangles.
    Treemap,
    /// Files with several names.
    Links,
    /// What could not be read.
    Errors,
    /// What could be cleaned up.
    Hints,
    /// What was searched for.
    Search,
    /// Where the rest of the file system is.
    Space,
    /// What has changed below it.
    Growth,
}

/// A side of a cell.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Side {
    /// To the left of it.
    Left,
    /// To the right of it.
    Right,
    /// Above it.
    Above,
    /// Below it.
    Below,
}

/// Where to move.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Motion {
    /// One line up.
    Up,
    /// One line down.
    Down,
    /// A window up.
    PageUp,
    /// A window down.
    PageDown,
    /// Half a window up.
    HalfUp,
    /// Half a window down.
    HalfDown,
    /// The first line.
    Top,
    /// The last line.
    Bottom,
}

/// What a key does to a question.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Answer {
    /// Yes, whatever is selected.
    Yes,
    /// No, whatever is selected.
    No,
    /// Leave, if that is what is asked; otherwise no.
    Leave,
    /// Select the other button.
    Other,
    /// What is selected.
    Selected,
}

/// The modes in which keys differ.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Scope {
    /// The list of a directory.
    List,
    /// The help page.
    Help,
    /// A question.
    Question,
    /// A view of everything below a directory.
    Sheet,
    /// The treemap.
    Treemap,
    /// The line in which a search is typed.
    Prompt,
    /// The line in which the name of a file is typed.
    FileName,
    /// The list of the marks.
    Marks,
    /// A box that asks before something is deleted.
    Confirm,
    /// A field in which a name is typed to confirm.
    Typing,
    /// The list of what could not be deleted.
    Failures,
    /// What there is to know of one entry.
    Details,
}

impl Scope {
    /// Whether a text is typed there, so that letters are no commands.
    pub fn is_typed(self) -> bool {
        matches!(self, Self::Prompt | Self::FileName | Self::Typing)
    }

    /// Whether `key` is a letter of that text.
    pub fn types(self, key: Key) -> bool {
        self.is_typed() && !key.control && matches!(key.code, KeyCode::Char(_))
    }

    /// Every scope.
    pub const ALL: [Self; 12] = [
        Self::List,
        Self::Help,
        Self::Question,
        Self::Sheet,
        Self::Treemap,
        Self::Prompt,
        Self::FileName,
        Self::Marks,
        Self::Confirm,
        Self::Typing,
        Self::Failures,
        Self::Details,
    ];
}

/// Headings of the help page.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Group {
    /// Getting around.
    Move,
    /// The order of entries.
    Sort,
    /// What is shown.
    Show,
    /// The other views.
    View,
    /// Moving in one of them, which is no list.
    Treemap,
    /// Searching.
    Search,
    /// Marks.
    Mark,
    /// Giving space back.
    Delete,
    /// The program itself.
    Program,
    /// Questions.
    Question,
}

impl Group {
    /// Every group, in the order of the help page.
    pub const ALL: [Self; 10] = [
        Self::Move,
        Self::Sort,
        Self::Show,
        Self::View,
        Self::Treemap,
        Self::Search,
        Self::Mark,
        Self::Delete,
        Self::Program,
        Self::Question,
    ];

    /// The heading.
    pub fn name(self) -> &'static str {
        match self {
            Self::Move => "Move",
            Self::Sort => "Sort (again: the other way round)",
            Self::Show => "Show",
            Self::View => "Views of this directory",
            Self::Treemap => "In the treemap",
            Self::Search => "Search (while it is typed)",
            Self::Mark => "Mark",
            Self::Delete => "Delete marks, or the entry",
            Self::Program => "Program",
            Self::Question => "Questions",
        }
    }
}

/// A key of the keyboard.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Key {
    code: KeyCode,
    control: bool,
}

const fn key(code: KeyCode) -> Key {
    Key { code, control: false }
}

const fn letter(letter: char) -> Key {
    key(KeyCode::Char(letter))
}

const fn control(letter: char) -> Key {
    Key { code: KeyCode::Char(letter), control: true }
}

impl Key {
    /// The event of pressing it.
    pub fn event(self) -> KeyEvent {
        let modifiers = if self.control { KeyModifiers::CONTROL } else { KeyModifiers::NONE };
        KeyEvent::new(self.code, modifiers)
    }

    fn is(self, event: KeyEvent) -> bool {
        // Shift is in the letter already, and some terminals report it besides.
        let modifiers = event.modifiers - KeyModifiers::SHIFT;
        let wanted = if self.control { KeyModifiers::CONTROL } else { KeyModifiers::NONE };
        self.code == event.code && modifiers == wanted
    }
}

/// One line of the table.
#[derive(Clone, Copy, Debug)]
pub struct Binding {
    /// Keys that do it.
    pub keys: &'static [Key],
    /// Where they do it.
    pub scopes: &'static [Scope],
    /// What they do.
    pub command: Command,
    /// The heading it stands under in the help.
    pub group: Group,
    /// What they do, in words.
    pub help: &'static str,
    /// A word for the footer, and how many go before it where there is room for few.
    pub footer: Option<(u8, &'static str)>,
}

/// The keys as the README shows them, in Markdown: a row for each heading of the help page.
pub fn markdown() -> String {
    let mut table = String::from("| for | keys |\n|---|---|\n");
    for group in Group::ALL {
        let line = |binding: &Binding| {
            let keys: Vec<String> = binding.keys.iter().map(|key| format!("`{}`", key.name())).collect();
            format!("{} {}", keys.join(" "), binding.help)
        };
        let lines: Vec<String> = in_group(group).map(|(_, binding)| line(binding)).collect();
        // Writing to a string cannot fail.
        let _ = writeln!(table, "| {} | {} |", group.name(), lines.join(" · "));
    }
    table
}

/// The names of the lines that can be given other keys, as docs/config.md shows them, in Markdown.
pub fn settings_markdown() -> String {
    let mut table = String::from("| name | keys | does |\n|---|---|---|\n");
    for binding in KEYMAP.iter().filter(|binding| !binding.is_fixed()) {
        let keys: Vec<String> = binding.keys.iter().map(|key| format!("`{}`", key.name())).collect();
        // Writing to a string cannot fail.
        let _ = writeln!(table, "| `{}` | {} | {} |", binding.name(), keys.join(" "), binding.help);
    }
    table
}

/// The lines of the table under one heading, and their numbers.
pub fn in_group(group: Group) -> impl Iterator<Item = (usize, &'static Binding)> {
    KEYMAP.iter().enumerate().filter(move |(_, binding)| binding.group == group)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_key_means_one_thing_in_each_scope() {
        for scope in Scope::ALL {
            let bound: Vec<Key> = KEYMAP
                .iter()
                .filter(|binding| binding.scopes.contains(&scope))
                .flat_map(|binding| binding.keys.iter().copied())
                .collect();
            for (index, key) in bound.iter().enumerate() {
                assert!(!bound[index + 1..].contains(key), "{} in {scope:?}", key.name());
            }
        }
    }

    #[test]
    fn the_markdown_table_has_every_binding() {
        let table = markdown();
        assert_eq!(table.lines().count(), 2 + Group::ALL.len());
        assert_eq!(table.matches(" · ").count(), KEYMAP.len() - Group::ALL.len());
        assert!(table.contains(" · `Enter` `Right` `l` open, or go there · "), "{table}");
    }
}
