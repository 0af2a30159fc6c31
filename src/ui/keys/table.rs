//! The table itself: every key, where it works, what it does, and in which words.
//!
//! Knows what `keys` names. Invariant: the order within a group is that of the help page and of the README.

use ratatui::crossterm::event::KeyCode;

use super::{Answer, Binding, Command, Group, Key, Motion, Program, Scope, Side, View, control, key, letter};
use crate::rows::Column;

const LIST: &[Scope] = &[Scope::List];
const TEXT: &[Scope] =
    &[Scope::List, Scope::Help, Scope::Sheet, Scope::Marks, Scope::Details, Scope::Failures];
const OPENED: &[Scope] =
    &[Scope::List, Scope::Help, Scope::Sheet, Scope::Treemap, Scope::Marks, Scope::Details, Scope::Failures];
const VIEWS: &[Scope] = &[Scope::List, Scope::Sheet, Scope::Treemap];
const ENTRIES: &[Scope] = &[Scope::List, Scope::Sheet, Scope::Treemap, Scope::Marks];
const DETAILS: &[Scope] = &[Scope::Details];
const ROWS: &[Scope] = &[Scope::List, Scope::Sheet];
const GOING: &[Scope] = &[Scope::List, Scope::Marks];
const DIRECTORY: &[Scope] = &[Scope::List, Scope::Treemap];
const SHEET: &[Scope] = &[Scope::Sheet];
const TREEMAP: &[Scope] = &[Scope::Treemap];
const PROMPT: &[Scope] = &[Scope::Prompt];
const FILE_NAME: &[Scope] = &[Scope::FileName];
const TYPED: &[Scope] = &[Scope::Prompt, Scope::FileName, Scope::Typing];
const QUESTION: &[Scope] = &[Scope::Question, Scope::Confirm];
const ANSWER: &[Scope] = &[Scope::Question, Scope::Confirm, Scope::Typing];
const FAILURES: &[Scope] = &[Scope::Failures];
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
        bind(&[key(K::Home), letter('g')], OPENED, C::Move(Motion::Top), G::Move, "top"),
        bind(&[key(K::End), letter('G')], TEXT, C::Move(Motion::Bottom), G::Move, "bottom"),
        hint(
            2,
            "open",
            bind(&[key(K::Enter), key(K::Right), letter('l')], GOING, C::Open, G::Move, "open, or go there"),
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
        hint(4, "size", bind(&[letter('s')], ROWS, C::Sort(Column::Size), G::Sort, "by size")),
        hint(5, "name", bind(&[letter('n')], ROWS, C::Sort(Column::Name), G::Sort, "by name")),
        bind(&[letter('C')], ROWS, C::Sort(Column::Items), G::Sort, "by number of items"),
        bind(&[letter('M')], ROWS, C::Sort(Column::Modified), G::Sort, "by last change"),
        bind(&[letter('S')], LIST, C::Sort(Column::Shared), G::Sort, "by what links share"),
        bind(&[letter('W')], ROWS, C::Sort(Column::Growth), G::Sort, "by growth"),
        bind(&[letter('t')], LIST, C::DirectoriesFirst, G::Sort, "directories first"),
        hint(6, "apparent", bind(&[letter('a')], VIEWS, C::Measure, G::Show, "apparent or disk")),
        bind(&[letter('c')], ROWS, C::Items, G::Show, "number of items"),
        bind(&[letter('m')], ROWS, C::Modified, G::Show, "last change"),
        bind(&[letter('u')], LIST, C::Shared, G::Show, "what hard links share"),
        bind(&[letter('=')], ROWS, C::Scale, G::Show, "bars of the largest"),
        bind(&[letter('B')], ROWS, C::Graph, G::Show, "bars and percents"),
        bind(&[letter('e')], DIRECTORY, C::Hidden, G::Show, "hidden and excluded"),
        bind(&[letter('1')], VIEWS, C::View(View::List), G::View, "list, or the results"),
        hint(9, "largest", bind(&[letter('2')], VIEWS, C::View(View::Largest), G::View, "largest files")),
        hint(10, "types", bind(&[letter('3')], VIEWS, C::View(View::Types), G::View, "types of files")),
        hint(11, "age", bind(&[letter('4')], VIEWS, C::View(View::Ages), G::View, "age of files")),
        hint(12, "treemap", bind(&[letter('5')], VIEWS, C::View(View::Treemap), G::View, "treemap")),
        bind(&[letter('6')], VIEWS, C::View(View::Links), G::View, "hard links"),
        bind(&[letter('7')], VIEWS, C::View(View::Errors), G::View, "errors, by reason"),
        hint(4, "growth", bind(&[letter('8')], VIEWS, C::View(View::Growth), G::View, "what has grown")),
        bind(&[letter('9')], VIEWS, C::View(View::Hints), G::View, "clean-up hints"),
        hint(4, "rest", bind(&[letter('0')], VIEWS, C::View(View::Space), G::View, "where is the rest")),
        hint(
            3,
            "back",
            bind(
                &[key(K::Left), key(K::Backspace), letter('h')],
                SHEET,
                C::Back,
                G::View,
                "back from a view",
            ),
        ),
        hint(2, "go there", bind(&[key(K::Enter)], SHEET, C::Open, G::View, "go to the entry")),
        bind(&[key(K::Right), letter('l')], SHEET, C::Inside, G::View, "open it in place"),
        bind(&[key(K::Left), letter('h')], TREEMAP, C::Cell(Side::Left), G::Treemap, "cell to the left"),
        bind(&[key(K::Right), letter('l')], TREEMAP, C::Cell(Side::Right), G::Treemap, "cell to the right"),
        bind(&[key(K::Up), letter('k')], TREEMAP, C::Cell(Side::Above), G::Treemap, "cell above"),
        bind(&[key(K::Down), letter('j')], TREEMAP, C::Cell(Side::Below), G::Treemap, "cell below"),
        hint(2, "open", bind(&[key(K::Enter)], TREEMAP, C::Open, G::Treemap, "open the cell")),
        hint(3, "parent", bind(&[key(K::Backspace)], TREEMAP, C::Parent, G::Treemap, "one level up")),
        hint(4, "search", bind(&[letter('/')], VIEWS, C::Search, G::Search, "search below")),
        hint(0, "keep", bind(&[key(K::Enter)], PROMPT, C::Accept, G::Search, "keep the results")),
        hint(1, "clear", bind(&[key(K::Esc)], PROMPT, C::Back, G::Search, "clear and close")),
        bind(&[key(K::Backspace)], TYPED, C::Erase, G::Search, "take a letter back"),
        bind(&[control('u')], TYPED, C::EraseAll, G::Search, "take all back"),
        bind(&[key(K::Up)], PROMPT, C::Move(Motion::Up), G::Search, "up in the results"),
        bind(&[key(K::Down)], PROMPT, C::Move(Motion::Down), G::Search, "down in the results"),
        hint(7, "mark", bind(&[letter(' ')], ENTRIES, C::Mark, G::Mark, "mark or unmark")),
        bind(&[letter('V')], ROWS, C::MarkRange, G::Mark, "a range: again ends it"),
        bind(&[letter('+')], VIEWS, C::MarkShown, G::Mark, "all shown"),
        bind(&[letter('*')], VIEWS, C::InvertMarks, G::Mark, "invert here"),
        hint(8, "marks", bind(&[key(K::Tab)], VIEWS, C::Marks, G::Mark, "list the marks")),
        bind(&[key(K::Tab)], &[Scope::Marks], C::Back, G::Mark, "close the list"),
        bind(&[letter('p')], ENTRIES, C::PrintMarks, G::Mark, "quit and print marks"),
        hint(8, "delete", bind(&[letter('d')], ENTRIES, C::Delete, G::Delete, "delete for good")),
        bind(&[letter('D')], ENTRIES, C::Trash, G::Delete, "move to the trash"),
        bind(&[letter('U')], VIEWS, C::Restore, G::Delete, "restore from the trash"),
        bind(&[letter('H')], ENTRIES, C::Script, G::Delete, "write an rm script"),
        bind(&[letter('e')], &[Scope::Confirm], C::Empty, G::Delete, "empty it instead"),
        hint(1, "retry", bind(&[letter('r')], FAILURES, C::Retry, G::Delete, "retry what stays")),
        bind(&[letter('y')], VIEWS, C::CopyPath, G::Program, "copy the path"),
        hint(13, "info", bind(&[letter('i')], ENTRIES, C::Inspect, G::Program, "info")),
        hint(
            0,
            "close",
            bind(&[letter('i'), key(K::Left), letter('h')], DETAILS, C::Back, G::Program, "close the info"),
        ),
        bind(&[letter('v')], ENTRIES, C::Start(Program::Pager), G::Program, "view in the pager"),
        bind(&[letter('o')], ENTRIES, C::Start(Program::Opener), G::Program, "open elsewhere"),
        bind(&[letter('b')], VIEWS, C::Start(Program::Shell), G::Program, "shell here"),
        bind(&[letter('E')], VIEWS, C::Export, G::Program, "export to a file"),
        hint(0, "write", bind(&[key(K::Enter)], FILE_NAME, C::Accept, G::Program, "write the file")),
        hint(1, "close", bind(&[key(K::Esc)], FILE_NAME, C::Back, G::Program, "write no file")),
        bind(&[letter('r')], LIST, C::Rescan, G::Program, "rescan the row"),
        bind(&[letter('R')], LIST, C::RescanRoot, G::Program, "rescan the root"),
        hint(0, "help", bind(&[letter('?')], VIEWS, C::Help, G::Program, "this page")),
        bind(&[key(K::Esc)], OPENED, C::Back, G::Program, "close, back, clear"),
        bind(&[letter('?'), key(K::Enter)], &[Scope::Help], C::Back, G::Program, "close this page"),
        hint(1, "quit", bind(&[letter('q')], OPENED, C::Quit, G::Program, "back, or quit")),
        bind(&[control('c')], EVERYWHERE, C::Interrupt, G::Program, "stop, or quit"),
        bind(&[control('z')], EVERYWHERE, C::Suspend, G::Program, "suspend"),
        bind(&[control('l')], EVERYWHERE, C::Repaint, G::Program, "repaint"),
        bind(&[letter('y')], QUESTION, C::Answer(Answer::Yes), G::Question, "yes"),
        bind(&[letter('n'), key(K::Esc)], ANSWER, C::Answer(Answer::No), G::Question, "no"),
        bind(&[letter('q')], QUESTION, C::Answer(Answer::Leave), G::Question, "no, or quit"),
        bind(
            &[key(K::Left), key(K::Right), key(K::Tab)],
            QUESTION,
            C::Answer(Answer::Other),
            G::Question,
            "the other button",
        ),
        bind(&[key(K::Enter)], ANSWER, C::Answer(Answer::Selected), G::Question, "press the button"),
    ]
};
