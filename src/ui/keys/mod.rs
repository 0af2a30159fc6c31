//! Keys: the types of the key table. The lookup, the help page, the status line and the tables in docs/keys.md are
//! all derived from that table, and the configuration can change its keys.
//!
//! Invariant: within a scope, a key has exactly one meaning.

mod keymap;
mod markdown;
mod name;
mod spelling;
mod table;

use ratatui::crossterm::event::{KeyCode, KeyEvent, KeyModifiers};

use super::cursor::Motion;
use super::views::ViewSpec;
use crate::duplicates::KeptCopy;
use crate::table::column::Column;
pub use keymap::{Keymap, line};
pub use markdown::{in_group, markdown, settings_markdown};
pub use table::KEYMAP;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Command {
    /// Move the cursor of a list, or scroll the text of a page.
    Move(Motion),
    Open,
    /// Open the directory under the cursor. Going up from that directory returns to the view.
    Inside,
    Parent,
    /// Sort by a column, or reverse the order if the rows are already sorted by it.
    Sort(Column),
    /// Switch between apparent sizes and disk usage.
    Measure,
    /// Show or hide a column.
    Show(Column),
    /// Switch between bars relative to the whole directory and bars relative to its largest entry.
    Scale,
    /// List directories first, or mix them with the other entries.
    DirectoriesFirst,
    /// Show or hide dot files and excluded entries.
    Hidden,
    /// Cycle through the combinations of bar and percentage: both, one of them, or neither.
    Graph,
    /// Cycle through the combinations of panes.
    Preview,
    /// Compare with the next older snapshot.
    OlderBaseline,
    /// Compare with the next newer snapshot.
    NewerBaseline,
    /// Cycle through the meanings of the treemap's colors, such as type and age.
    MapColors,
    Help,
    /// Go back one step: end a range of marks, return to the view from which the user went to an entry, clear the
    /// filter, close the top layer or view, or stop the running operation or rescan.
    Back,
    /// Close the top layer or view. If only the list is open, quit, but ask first if data would be lost.
    Quit,
    /// Close the open dialog, stop the scan (keeping the partial result), or stop the running operation or rescan. If
    /// there is nothing to close or stop, or if the dialog asks about quitting, quit.
    Interrupt,
    /// Suspend the program until the shell continues it.
    Suspend,
    Repaint,
    Answer(Answer),
    View(&'static ViewSpec),
    Search,
    Cell(Side),
    /// Accept the text typed in a prompt.
    Accept,
    Step(TextMotion),
    /// Delete text before or after the cursor in a text field.
    Erase(TextMotion),
    /// Rescan the directory under the cursor, or the shown directory if the cursor is not on a directory.
    Rescan,
    /// Rescan the root that contains the shown directory.
    RescanRoot,
    Mark,
    /// Start or end a range of marks.
    MarkRange,
    MarkShown,
    InvertMarks,
    /// Mark all copies in a group of duplicates except one.
    MarkCopies(KeptCopy),
    /// In all groups of duplicates with copies in or below the directory under the cursor: unmark these copies, and
    /// mark all other copies. If the cursor is on a file, use the directory that contains the file.
    MarkElsewhere,
    /// Ask the user for confirmation, then let copies of a file use the same data on the disk.
    Share,
    Marks,
    /// Quit and print the paths of the marked entries.
    PrintMarks,
    Export,
    CopyPath,
    /// Ask the user for confirmation, then delete the marked entries or the entry under the cursor.
    Delete,
    /// Ask the user for confirmation, then move the marked entries or the entry under the cursor to the trash.
    Trash,
    /// Restore the most recently trashed items.
    Restore,
    /// Write a script that deletes the marked entries or the entry under the cursor.
    Script,
    /// Switch between deleting a directory and deleting only its contents.
    Empty,
    /// Retry the operation for failed or changed entries.
    Retry,
    Inspect,
    Start(Program),
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Program {
    Shell,
    /// Pager for the file under the cursor.
    Pager,
    /// Default application for the entry under the cursor, started by the desktop's opener (such as `xdg-open`).
    Opener,
}

impl Command {
    /// Returns `true` if the command has the same effect in every scope.
    pub fn is_global(self) -> bool {
        matches!(self, Self::Suspend | Self::Repaint | Self::Interrupt)
    }
}

/// Direction in which the cursor moves between the cells of the treemap or the parts of the overview.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Side {
    Left,
    Right,
    Above,
    Below,
}

/// Span of text that begins or ends at the cursor. A command moves the cursor across the text, or deletes the text.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TextMotion {
    /// The character before the cursor.
    Left,
    /// The character after the cursor.
    Right,
    /// From the start of the previous word to the cursor.
    WordLeft,
    /// From the cursor to the start of the next word.
    WordRight,
    /// Everything before the cursor.
    Start,
    /// Everything after the cursor.
    End,
}

/// User's response to a question.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Answer {
    /// Answer Yes, regardless of the selected button.
    Yes,
    /// Answer No, regardless of the selected button.
    No,
    /// Quit if the question is about quitting; otherwise answer No.
    Leave,
    /// Select the other button.
    Other,
    /// Press the selected button.
    Selected,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Scope {
    List,
    Help,
    /// Question with a Yes and a No button.
    Question,
    /// Table view, as opposed to the list, the treemap and the overview.
    Table,
    Treemap,
    Overview,
    Prompt,
    FileName,
    Marks,
    Confirm,
    /// Text field for a search on the help page, or for the name that the user must type to confirm a deletion.
    Typing,
    Failures,
    Details,
}

impl Scope {
    /// Returns `true` if the scope has a text field. In such a scope, letters are text and not commands.
    pub fn is_typed(self) -> bool {
        matches!(self, Self::Prompt | Self::FileName | Self::Typing)
    }

    /// Returns `true` if `key` types a character into the text field of this scope.
    pub fn types(self, key: Key) -> bool {
        self.is_typed() && key.held.is_empty() && matches!(key.code, KeyCode::Char(_))
    }

    pub const ALL: [Self; 13] = [
        Self::List,
        Self::Help,
        Self::Question,
        Self::Table,
        Self::Treemap,
        Self::Overview,
        Self::Prompt,
        Self::FileName,
        Self::Marks,
        Self::Confirm,
        Self::Typing,
        Self::Failures,
        Self::Details,
    ];
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum HelpGroup {
    Move,
    Sort,
    Show,
    Growth,
    View,
    Treemap,
    Search,
    Text,
    Mark,
    Delete,
    Program,
    Question,
}

impl HelpGroup {
    pub const ALL: [Self; 12] = [
        Self::View,
        Self::Move,
        Self::Sort,
        Self::Show,
        Self::Growth,
        Self::Treemap,
        Self::Search,
        Self::Text,
        Self::Mark,
        Self::Delete,
        Self::Program,
        Self::Question,
    ];

    pub fn name(self) -> &'static str {
        match self {
            Self::Move => "Move",
            Self::Sort => "Sort (again to reverse)",
            Self::Show => "Show",
            Self::Growth => "Growth since a snapshot",
            Self::View => "Views of this directory",
            Self::Treemap => "In the treemap and the overview",
            Self::Search => "Search (while typing)",
            Self::Text => "Edit a search or a name",
            Self::Mark => "Mark",
            Self::Delete => "Delete (selected entries)",
            Self::Program => "Program",
            Self::Question => "Questions",
        }
    }
}

/// Key with its modifiers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Key {
    code: KeyCode,
    /// Modifier that is held with the key: Ctrl, Alt or none.
    held: KeyModifiers,
}

const fn key(code: KeyCode) -> Key {
    Key { code, held: KeyModifiers::NONE }
}

const fn letter(letter: char) -> Key {
    key(KeyCode::Char(letter))
}

const fn control(letter: char) -> Key {
    Key { code: KeyCode::Char(letter), held: KeyModifiers::CONTROL }
}

const fn alt(letter: char) -> Key {
    Key { code: KeyCode::Char(letter), held: KeyModifiers::ALT }
}

impl Key {
    pub fn event(self) -> KeyEvent {
        KeyEvent::new(self.code, self.held)
    }

    fn is(self, event: KeyEvent) -> bool {
        // Shift is ignored, because only some terminals report it as a modifier. An upper-case letter implies it.
        self.code == event.code && event.modifiers - KeyModifiers::SHIFT == self.held
    }
}

#[derive(Clone, Copy, Debug)]
pub struct Binding {
    pub keys: &'static [Key],
    pub scopes: &'static [Scope],
    pub command: Command,
    pub group: HelpGroup,
    pub help: &'static str,
    /// Rank and text of the hint in the status line. If there is little room, only hints with low ranks are shown.
    pub status_line: Option<(u8, &'static str)>,
}
