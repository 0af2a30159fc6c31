//! Keys: a single table of key bindings, which the configuration can change. Lookup, help page, footer and the
//! tables in docs/keys.md are derived from it.
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
use crate::table::column::Column;
pub use keymap::{Keymap, line};
pub use markdown::{in_group, markdown, settings_markdown};
pub use table::KEYMAP;

/// Command that a key can be bound to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Command {
    /// Move the cursor, or scroll a page.
    Move(Motion),
    /// Enter the directory under the cursor.
    Open,
    /// Open the directory under the cursor in place, as if it were part of the view.
    Inside,
    /// Go to the parent directory.
    Parent,
    /// Sort by a column, or reverse the order if already sorted by it.
    Sort(Column),
    /// Switch between apparent sizes and disk usage.
    Measure,
    /// Show or hide a column.
    Show(Column),
    /// Switch the bars between shares of the directory and shares of its largest entry.
    Scale,
    /// Switch between listing directories first and mixing them with the other entries.
    DirectoriesFirst,
    /// Show or hide entries whose names begin with a dot, and excluded entries.
    Hidden,
    /// Show the next combination of bar and percentage: both, one of them, or neither.
    Graph,
    /// Show the next combination of panes.
    Preview,
    /// Compare with the next older snapshot.
    OlderBaseline,
    /// Compare with the next newer snapshot.
    NewerBaseline,
    /// Switch the meaning of the treemap's colors, such as type or age.
    MapColors,
    Help,
    /// Close the top layer or view, or stop a running operation.
    Back,
    /// Quit, but ask first if data would be lost.
    Quit,
    /// Stop the scan (and keep the partial result) or the running operation; otherwise, quit.
    Interrupt,
    /// Suspend the program until the shell continues it.
    Suspend,
    /// Redraw the whole screen.
    Repaint,
    Answer(Answer),
    /// Show the directory in this view.
    View(&'static ViewSpec),
    /// Start typing a search.
    Search,
    /// Move to the next cell of the treemap.
    Cell(Side),
    /// Accept the typed text of a prompt.
    Accept,
    /// Move the cursor of a text field.
    Step(TextMotion),
    /// Delete text next to the cursor of a text field.
    Erase(TextMotion),
    /// Rescan the directory under the cursor.
    Rescan,
    /// Rescan the root that contains the shown directory.
    RescanRoot,
    /// Mark or unmark the entry under the cursor.
    Mark,
    /// Start or end a range of marks.
    MarkRange,
    /// Mark all rows.
    MarkShown,
    InvertMarks,
    /// List the marked entries.
    Marks,
    /// Quit and print the paths of the marked entries.
    PrintMarks,
    /// Write the tree to a file.
    Export,
    /// Copy the path of the entry under the cursor to the clipboard.
    CopyPath,
    /// Delete the marked entries or the entry under the cursor, after a question.
    Delete,
    /// Move the marked entries or the entry under the cursor to the trash, after a question.
    Trash,
    /// Restore the most recently trashed items.
    Restore,
    /// Write a script that deletes the marked entries or the entry under the cursor.
    Script,
    /// Switch between deleting a directory and deleting only its contents.
    Empty,
    /// Retry the operation for failed or changed entries.
    Retry,
    /// Show details of the entry under the cursor.
    Inspect,
    Start(Program),
}

/// Program that can be started.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Program {
    Shell,
    /// Pager with the file under the cursor.
    Pager,
    /// The desktop's opener for the entry under the cursor.
    Opener,
}

impl Command {
    /// Returns `true` if the command has the same effect in every scope.
    pub fn is_global(self) -> bool {
        matches!(self, Self::Suspend | Self::Repaint | Self::Interrupt)
    }
}

/// Side of a treemap cell on which the cursor moves to the next cell.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Side {
    Left,
    Right,
    Above,
    Below,
}

/// Text next to the cursor of a text field, which a command skips or deletes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TextMotion {
    /// The character before the cursor.
    Left,
    /// The character after the cursor.
    Right,
    /// Everything from the start of the previous word to the cursor.
    WordLeft,
    /// Everything from the cursor to the start of the next word.
    WordRight,
    /// Everything before the cursor.
    Start,
    /// Everything after the cursor.
    End,
}

/// Effect of a key while a question is open.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Answer {
    /// Yes, whichever button is selected.
    Yes,
    /// No, whichever button is selected.
    No,
    /// Quit if the question is about quitting; otherwise No.
    Leave,
    /// Select the other button.
    Other,
    /// Press the selected button.
    Selected,
}

/// Scope in which a key binding applies.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Scope {
    /// List of a directory.
    List,
    Help,
    /// Question with buttons.
    Question,
    /// Table view of everything below a directory.
    Sheet,
    /// Treemap of a directory.
    Treemap,
    Overview,
    /// Prompt for a search.
    Prompt,
    FileName,
    Marks,
    /// Dialog that confirms a deletion.
    Confirm,
    /// Text field for a name that confirms a deletion, or for a search on the help page.
    Typing,
    /// List of the entries for which an operation failed.
    Failures,
    /// Info page of one entry.
    Details,
}

impl Scope {
    /// Returns `true` if the scope has a text field, so that letters are typed as text and are not commands.
    pub fn is_typed(self) -> bool {
        matches!(self, Self::Prompt | Self::FileName | Self::Typing)
    }

    /// Returns `true` if `key` types a letter in this scope.
    pub fn types(self, key: Key) -> bool {
        self.is_typed() && key.held.is_empty() && matches!(key.code, KeyCode::Char(_))
    }

    pub const ALL: [Self; 13] = [
        Self::List,
        Self::Help,
        Self::Question,
        Self::Sheet,
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

/// Group of keys with a heading on the help page.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum HelpGroup {
    Move,
    Sort,
    /// Keys that show and hide columns and entries.
    Show,
    View,
    /// Keys that move between treemap cells.
    Treemap,
    /// Keys of the search prompt.
    Search,
    Text,
    Mark,
    /// Keys that delete and restore.
    Delete,
    /// Keys that act on the whole program.
    Program,
    Question,
}

impl HelpGroup {
    /// All groups, in the order of the help page.
    pub const ALL: [Self; 11] = [
        Self::View,
        Self::Move,
        Self::Sort,
        Self::Show,
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
            Self::View => "Views of this directory",
            Self::Treemap => "In the treemap and the overview",
            Self::Search => "Search (while it is typed)",
            Self::Text => "Edit a search or a name",
            Self::Mark => "Mark",
            Self::Delete => "Delete marked or current entry",
            Self::Program => "Program",
            Self::Question => "Questions",
        }
    }
}

/// Key with its modifiers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Key {
    code: KeyCode,
    /// Ctrl, Alt, or neither.
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
    /// Returns the event that a terminal sends for this key.
    pub fn event(self) -> KeyEvent {
        KeyEvent::new(self.code, self.held)
    }

    fn is(self, event: KeyEvent) -> bool {
        // Only some terminals report Shift as a modifier; an upper-case letter implies it.
        self.code == event.code && event.modifiers - KeyModifiers::SHIFT == self.held
    }
}

/// Line of the key table.
#[derive(Clone, Copy, Debug)]
pub struct Binding {
    /// Default keys of the line.
    pub keys: &'static [Key],
    pub scopes: &'static [Scope],
    pub command: Command,
    /// Group of the binding on the help page.
    pub group: HelpGroup,
    /// Description on the help page.
    pub help: &'static str,
    /// Rank and word of the hint in the footer. Low ranks are shown first if there is little room.
    pub footer: Option<(u8, &'static str)>,
}
