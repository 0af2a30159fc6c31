//! Keys: one table from which lookup, help page, footer and the table of docs/keys.md are derived, and which
//! the configuration can change.
//!
//! Invariant: in one scope a key has one meaning.

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

/// Command of a key.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Command {
    /// Move the cursor, or scroll a page.
    Move(Motion),
    /// Go into the directory under the cursor.
    Open,
    /// Open the directory under the cursor in place, as if it were part of the view.
    Inside,
    /// Go to the directory above.
    Parent,
    /// Sort by a column, or reverse its order.
    Sort(Column),
    /// Switch between apparent sizes and disk usage.
    Measure,
    /// Show or hide a column.
    Show(Column),
    /// Show bars as shares of the directory, or of its largest entry.
    Scale,
    /// List directories before everything else, or not.
    DirectoriesFirst,
    /// Show or hide entries whose names begin with a dot, and excluded entries.
    Hidden,
    /// Show bar and percentage, one of them, or neither.
    Graph,
    /// Show or hide the preview.
    Preview,
    /// Give the colors of the treemap another meaning.
    MapColors,
    /// Open the help page.
    Help,
    /// Close what is open.
    Back,
    /// Quit, after a question if something would be lost.
    Quit,
    /// Stop the scan and keep the partial result; without a scan, quit.
    Interrupt,
    /// Stop the program until the shell continues it.
    Suspend,
    /// Draw the whole screen again.
    Repaint,
    /// Answer a question.
    Answer(Answer),
    /// Show the directory, or everything below it, in this view.
    View(&'static ViewSpec),
    /// Start typing a search.
    Search,
    /// Move to the next cell of the treemap.
    Cell(Side),
    /// Accept the typed text.
    Accept,
    /// Move the cursor of a text field.
    Step(TextMotion),
    /// Delete from the cursor of a text field.
    Erase(TextMotion),
    /// Rescan the directory under the cursor.
    Rescan,
    /// Rescan the shown root.
    RescanRoot,
    /// Mark or unmark the entry.
    Mark,
    /// Start or end a range of marks.
    MarkRange,
    /// Mark all rows.
    MarkShown,
    /// Invert the marks of all rows.
    InvertMarks,
    /// List the marked entries.
    Marks,
    /// Quit and print the marks.
    PrintMarks,
    /// Write the tree to a file.
    Export,
    /// Copy the path to the clipboard.
    CopyPath,
    /// Delete the marks or the entry under the cursor, after a question.
    Delete,
    /// Move the marks or the entry under the cursor to the trash, after a question.
    Trash,
    /// Restore the items that were trashed last.
    Restore,
    /// Write a script that deletes the marks or the entry under the cursor.
    Script,
    /// Delete only the contents of the directory.
    Empty,
    /// Try the failed entries again.
    Retry,
    /// Show details of the entry under the cursor.
    Inspect,
    /// Start a program.
    Start(Program),
}

/// Program that can be started.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Program {
    /// Shell in the directory.
    Shell,
    /// Pager with the file under the cursor.
    Pager,
    /// The desktop's opener for the entry under the cursor.
    Opener,
}

impl Command {
    /// Returns `true` if the command means the same in every scope.
    pub fn is_global(self) -> bool {
        matches!(self, Self::Suspend | Self::Repaint | Self::Interrupt)
    }
}

/// Side of a cell.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Side {
    /// To the left of the cell.
    Left,
    /// To the right of the cell.
    Right,
    /// Above the cell.
    Above,
    /// Below the cell.
    Below,
}

/// Part of the text next to the cursor, to step over or to delete.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TextMotion {
    /// The character before the cursor.
    Left,
    /// The character after the cursor.
    Right,
    /// Everything from the start of the word before the cursor.
    WordLeft,
    /// Everything to the end of the word after the cursor.
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
    /// Help page.
    Help,
    /// Question with buttons.
    Question,
    /// View of everything below a directory.
    Sheet,
    /// Treemap.
    Treemap,
    /// Overview.
    Overview,
    /// Prompt for a search.
    Prompt,
    /// Prompt for a file name.
    FileName,
    /// List of the marks.
    Marks,
    /// Dialog that confirms a deletion.
    Confirm,
    /// Field in which a name is typed to confirm.
    Typing,
    /// List of failed entries.
    Failures,
    /// Info page of one entry.
    Details,
}

impl Scope {
    /// Returns `true` if text is typed in this scope, so that letters are not commands.
    pub fn is_typed(self) -> bool {
        matches!(self, Self::Prompt | Self::FileName | Self::Typing)
    }

    /// Returns `true` if `key` types a letter in this scope.
    pub fn types(self, key: Key) -> bool {
        self.is_typed() && key.held.is_empty() && matches!(key.code, KeyCode::Char(_))
    }

    /// All scopes.
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

/// Heading of the help page.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum HelpGroup {
    /// Movement.
    Move,
    /// Order of entries.
    Sort,
    /// Visible parts.
    Show,
    /// Other views.
    View,
    /// Movement in the treemap.
    Treemap,
    /// Search.
    Search,
    /// Text fields.
    Text,
    /// Marks.
    Mark,
    /// Deletion.
    Delete,
    /// Keys that act on the whole program.
    Program,
    /// Questions.
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

    /// Returns the heading.
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
            Self::Delete => "Delete marks, or the entry",
            Self::Program => "Program",
            Self::Question => "Questions",
        }
    }
}

/// Key of the keyboard.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Key {
    code: KeyCode,
    /// Ctrl, Alt, or none of them.
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
        // An upper-case letter implies Shift, which only some terminals report as a modifier.
        self.code == event.code && event.modifiers - KeyModifiers::SHIFT == self.held
    }
}

/// Line of the key table.
#[derive(Clone, Copy, Debug)]
pub struct Binding {
    /// Default keys.
    pub keys: &'static [Key],
    /// Scopes in which the binding applies.
    pub scopes: &'static [Scope],
    /// Command that the keys give.
    pub command: Command,
    /// Heading on the help page.
    pub group: HelpGroup,
    /// Description on the help page.
    pub help: &'static str,
    /// Word in the footer, and its rank when there is little room.
    pub footer: Option<(u8, &'static str)>,
}
