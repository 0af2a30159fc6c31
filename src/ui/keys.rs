//! The keys: one table that gives lookup, help page, footer and the README's table.
//!
//! Knows no state. Invariant: in one mode a key means one thing.

use std::fmt::Write;

use ratatui::crossterm::event::{KeyCode, KeyEvent, KeyModifiers};

use crate::rows::Column;

/// What a key asks for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Command {
    /// Move the cursor, or scroll a page of text.
    Move(Motion),
    /// Go into the directory under the cursor.
    Open,
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
    /// Put the path where it can be pasted.
    CopyPath,
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
    /// The list of the marks.
    Marks,
}

impl Scope {
    /// Every scope.
    pub const ALL: [Self; 4] = [Self::List, Self::Help, Self::Question, Self::Marks];
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
    /// Marks.
    Mark,
    /// The program itself.
    Program,
    /// Questions.
    Question,
}

impl Group {
    /// Every group, in the order of the help page.
    pub const ALL: [Self; 6] =
        [Self::Move, Self::Sort, Self::Show, Self::Mark, Self::Program, Self::Question];

    /// The heading.
    pub fn name(self) -> &'static str {
        match self {
            Self::Move => "Move",
            Self::Sort => "Sort (again: the other way round)",
            Self::Show => "Show",
            Self::Mark => "Mark",
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

    /// Its name, as on the help page.
    pub fn name(self) -> String {
        let name = match self.code {
            KeyCode::Up => "Up",
            KeyCode::Down => "Down",
            KeyCode::Left => "Left",
            KeyCode::Right => "Right",
            KeyCode::Enter => "Enter",
            KeyCode::Backspace => "Backspace",
            KeyCode::PageUp => "PgUp",
            KeyCode::PageDown => "PgDn",
            KeyCode::Home => "Home",
            KeyCode::End => "End",
            KeyCode::Esc => "Esc",
            KeyCode::Tab => "Tab",
            KeyCode::Char(' ') => "Space",
            KeyCode::Char(letter) if self.control => return format!("Ctrl-{}", letter.to_ascii_uppercase()),
            KeyCode::Char(letter) => return letter.to_string(),
            other => return other.to_string(),
        };
        name.to_owned()
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

const LIST: &[Scope] = &[Scope::List];
const TEXT: &[Scope] = &[Scope::List, Scope::Help, Scope::Marks];
const MARKS: &[Scope] = &[Scope::List, Scope::Marks];
const QUESTION: &[Scope] = &[Scope::Question];
const EVERYWHERE: &[Scope] = &Scope::ALL;

const fn bind(
    keys: &'static [Key],
    scopes: &'static [Scope],
    command: Command,
    group: Group,
    help: &'static str,
) -> Binding {
    Binding { keys, scopes, command, group, help, footer: None }
}

const fn hint(rank: u8, word: &'static str, binding: Binding) -> Binding {
    Binding { footer: Some((rank, word)), ..binding }
}

/// Every key there is.
pub const KEYMAP: &[Binding] = &{
    use Command as C;
    use Group as G;
    use KeyCode as K;
    [
        bind(&[key(K::Up), letter('k')], TEXT, C::Move(Motion::Up), G::Move, "up"),
        bind(&[key(K::Down), letter('j')], TEXT, C::Move(Motion::Down), G::Move, "down"),
        bind(&[key(K::PageUp)], TEXT, C::Move(Motion::PageUp), G::Move, "a page up"),
        bind(&[key(K::PageDown)], TEXT, C::Move(Motion::PageDown), G::Move, "a page down"),
        bind(&[control('u')], TEXT, C::Move(Motion::HalfUp), G::Move, "half a page up"),
        bind(&[control('d')], TEXT, C::Move(Motion::HalfDown), G::Move, "half a page down"),
        bind(&[key(K::Home), letter('g')], TEXT, C::Move(Motion::Top), G::Move, "top"),
        bind(&[key(K::End), letter('G')], TEXT, C::Move(Motion::Bottom), G::Move, "bottom"),
        hint(
            2,
            "open",
            bind(&[key(K::Enter), key(K::Right), letter('l')], MARKS, C::Open, G::Move, "open, or go there"),
        ),
        hint(
            3,
            "parent",
            bind(
                &[key(K::Left), key(K::Backspace), letter('h')],
                LIST,
                C::Parent,
                G::Move,
                "the directory above",
            ),
        ),
        hint(4, "size", bind(&[letter('s')], LIST, C::Sort(Column::Size), G::Sort, "by size")),
        hint(5, "name", bind(&[letter('n')], LIST, C::Sort(Column::Name), G::Sort, "by name")),
        bind(&[letter('C')], LIST, C::Sort(Column::Items), G::Sort, "by number of items"),
        bind(&[letter('M')], LIST, C::Sort(Column::Modified), G::Sort, "by time of last change"),
        bind(&[letter('t')], LIST, C::DirectoriesFirst, G::Sort, "directories first, or mixed"),
        hint(6, "apparent", bind(&[letter('a')], LIST, C::Measure, G::Show, "apparent size or disk usage")),
        bind(&[letter('c')], LIST, C::Items, G::Show, "number of items"),
        bind(&[letter('m')], LIST, C::Modified, G::Show, "time of last change"),
        bind(&[letter('B')], LIST, C::Graph, G::Show, "bar, percent, both, none"),
        bind(&[letter('e')], LIST, C::Hidden, G::Show, "dot and excluded entries"),
        hint(7, "mark", bind(&[letter(' ')], MARKS, C::Mark, G::Mark, "mark or unmark")),
        bind(&[letter('V')], LIST, C::MarkRange, G::Mark, "a range: V, move, V"),
        bind(&[letter('+')], LIST, C::MarkShown, G::Mark, "all shown"),
        bind(&[letter('*')], LIST, C::InvertMarks, G::Mark, "invert here"),
        hint(8, "marks", bind(&[key(K::Tab)], LIST, C::Marks, G::Mark, "list the marks")),
        bind(&[letter('p')], MARKS, C::PrintMarks, G::Mark, "quit and print marks"),
        bind(&[letter('y')], LIST, C::CopyPath, G::Program, "copy the path"),
        bind(&[letter('r')], LIST, C::Rescan, G::Program, "read the directory again"),
        bind(&[letter('R')], LIST, C::RescanRoot, G::Program, "read the root again"),
        hint(0, "help", bind(&[letter('?')], LIST, C::Help, G::Program, "this page")),
        bind(&[key(K::Esc)], TEXT, C::Back, G::Program, "close, stop; never quits"),
        bind(&[letter('?'), key(K::Enter)], &[Scope::Help], C::Back, G::Program, "close this page"),
        bind(&[key(K::Tab)], &[Scope::Marks], C::Back, G::Mark, "close the list"),
        hint(1, "quit", bind(&[letter('q')], TEXT, C::Quit, G::Program, "back; in the list: quit")),
        bind(&[control('c')], EVERYWHERE, C::Interrupt, G::Program, "stop reading; else quit"),
        bind(&[control('z')], EVERYWHERE, C::Suspend, G::Program, "suspend"),
        bind(&[control('l')], EVERYWHERE, C::Repaint, G::Program, "repaint"),
        bind(&[letter('y')], QUESTION, C::Answer(Answer::Yes), G::Question, "yes"),
        bind(&[letter('n'), letter('q'), key(K::Esc)], QUESTION, C::Answer(Answer::No), G::Question, "no"),
        bind(
            &[key(K::Left), key(K::Right), key(K::Tab)],
            QUESTION,
            C::Answer(Answer::Other),
            G::Question,
            "the other button",
        ),
        bind(&[key(K::Enter)], QUESTION, C::Answer(Answer::Selected), G::Question, "press the button"),
    ]
};

impl Binding {
    /// The names of its keys, `between` them.
    pub fn key_names(&self, between: &str) -> String {
        self.keys.iter().map(|key| key.name()).collect::<Vec<_>>().join(between)
    }
}

/// What `event` asks for in `scope`.
pub fn lookup(scope: Scope, event: KeyEvent) -> Option<Command> {
    let binding = KEYMAP
        .iter()
        .find(|binding| binding.scopes.contains(&scope) && binding.keys.iter().any(|key| key.is(event)))?;
    Some(binding.command)
}

/// The table of keys as the README shows it, in Markdown.
pub fn markdown() -> String {
    let mut table = String::from("| key | does |\n|---|---|\n");
    for binding in Group::ALL.iter().flat_map(|group| in_group(*group)) {
        let keys: Vec<String> = binding.keys.iter().map(|key| format!("`{}`", key.name())).collect();
        let topic = match binding.group {
            Group::Sort => "sort: ",
            Group::Show => "show: ",
            Group::Question => "question: ",
            Group::Mark => "mark: ",
            Group::Move | Group::Program => "",
        };
        // Writing to a string cannot fail.
        let _ = writeln!(table, "| {} | {topic}{} |", keys.join(" "), binding.help);
    }
    table
}

/// The bindings under one heading.
pub fn in_group(group: Group) -> impl Iterator<Item = &'static Binding> {
    KEYMAP.iter().filter(move |binding| binding.group == group)
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
    fn capitals_are_found_however_the_terminal_reports_shift() {
        for modifiers in [KeyModifiers::NONE, KeyModifiers::SHIFT] {
            let event = KeyEvent::new(KeyCode::Char('G'), modifiers);
            assert_eq!(lookup(Scope::List, event), Some(Command::Move(Motion::Bottom)));
        }
        let event = KeyEvent::new(KeyCode::Char('q'), KeyModifiers::ALT);
        assert_eq!(lookup(Scope::List, event), None);
    }

    #[test]
    fn the_markdown_table_has_every_binding() {
        assert_eq!(markdown().lines().count(), 2 + KEYMAP.len());
        assert!(markdown().contains("| `Enter` `Right` `l` | open, or go there |"));
    }
}
