//! Key table: every key with its scopes, its command and its description.
//!
//! Invariant: the lines of a group are in the same order as on the help page and in docs/keys.md.

use ratatui::crossterm::event::KeyCode;

use super::{
    Answer, Binding, Command, HelpGroup, Key, Program, Scope, Side, TextMotion, alt, control, key, letter,
};
use crate::duplicates::KeptCopy;
use crate::table::column::{COLUMNS, Column, OPTIONAL, SORTABLE};
use crate::ui::cursor::Motion;
use crate::ui::views;

const LIST: &[Scope] = &[Scope::List];
const CELLS: &[Scope] = &[Scope::Treemap, Scope::Overview];
const TEXT: &[Scope] =
    &[Scope::List, Scope::Help, Scope::Table, Scope::Marks, Scope::Details, Scope::Failures];
const OPENED: &[Scope] = &[
    Scope::List,
    Scope::Help,
    Scope::Table,
    Scope::Treemap,
    Scope::Overview,
    Scope::Marks,
    Scope::Details,
    Scope::Failures,
];
const VIEWS: &[Scope] = &[Scope::List, Scope::Table, Scope::Treemap, Scope::Overview];
const ROWS_AND_CELLS: &[Scope] = &[Scope::List, Scope::Table, Scope::Treemap];
const LEADS_BACK: &[Scope] = &[
    Scope::List,
    Scope::Table,
    Scope::Treemap,
    Scope::Overview,
    Scope::Marks,
    Scope::Details,
    Scope::Failures,
];
const ENTRIES: &[Scope] = &[Scope::List, Scope::Table, Scope::Treemap, Scope::Marks];
const DETAILS: &[Scope] = &[Scope::Details];
const ROWS: &[Scope] = &[Scope::List, Scope::Table];
const GOING: &[Scope] = &[Scope::List, Scope::Marks];
const DIRECTORY: &[Scope] = &[Scope::List, Scope::Treemap];
const OVERVIEW: &[Scope] = &[Scope::Overview];
const TABLE: &[Scope] = &[Scope::Table];
const TREEMAP: &[Scope] = &[Scope::Treemap];
const PROMPT: &[Scope] = &[Scope::Prompt];
const FILE_NAME: &[Scope] = &[Scope::FileName];
const TYPED: &[Scope] = &[Scope::Prompt, Scope::FileName, Scope::Typing];
const RECALLED: &[Scope] = &[Scope::Prompt, Scope::FileName];
const QUESTION: &[Scope] = &[Scope::Question, Scope::Confirm];
const ANSWER: &[Scope] = &[Scope::Question, Scope::Confirm, Scope::Typing];
const KEPT: &[Scope] = &[Scope::Failures, Scope::Confirm];
const EVERYWHERE: &[Scope] = &Scope::ALL;

const fn bind(
    keys: &'static [Key],
    scopes: &'static [Scope],
    command: Command,
    group: HelpGroup,
    help: &'static str,
) -> Binding {
    Binding { keys, scopes, command, group, help, status_line: None }
}

const fn hint(rank: u8, word: &'static str, binding: Binding) -> Binding {
    Binding { status_line: Some((rank, word)), ..binding }
}

/// Keys that sort by a column, in the order of [`COLUMNS`]. Columns without such a key have a space as a placeholder.
static SORT_KEYS: [[Key; 1]; Column::COUNT] = column_keys(false);
static SHOW_KEYS: [[Key; 1]; Column::COUNT] = column_keys(true);

const fn column_keys(is_show: bool) -> [[Key; 1]; Column::COUNT] {
    let (mut keys, mut at) = ([[letter(' ')]; Column::COUNT], 0);
    while at < Column::COUNT {
        if let Some(key) = if is_show { COLUMNS[at].show } else { COLUMNS[at].sort } {
            keys[at] = [letter(key.letter)];
        }
        at += 1;
    }
    keys
}

/// Returns one binding per column: to show or hide the column if `is_show` is `true`, otherwise to sort by it.
const fn of_columns<const N: usize>(columns: [Column; N], is_show: bool) -> [Binding; N] {
    let (mut bindings, mut at) = ([bind(&[], LIST, Command::Help, HelpGroup::Sort, ""); N], 0);
    while at < N {
        let column = columns[at];
        let spec = &COLUMNS[column as usize];
        let (keys, key, command, group) = if is_show {
            (&SHOW_KEYS, spec.show, Command::Show(column), HelpGroup::Show)
        } else {
            (&SORT_KEYS, spec.sort, Command::Sort(column), HelpGroup::Sort)
        };
        if let Some(key) = key {
            let scopes = if key.only_in_list { LIST } else { ROWS };
            let binding = bind(&keys[column as usize], scopes, command, group, key.help);
            bindings[at] = Binding { status_line: key.hint, ..binding };
        }
        at += 1;
    }
    bindings
}

/// Keys that open a view, in the order of [`views::VIEWS`].
static VIEW_KEYS: [[Key; 1]; views::VIEWS.len()] = {
    let (mut keys, mut at) = ([[letter(' ')]; views::VIEWS.len()], 0);
    while at < keys.len() {
        keys[at] = [letter(views::VIEWS[at].key)];
        at += 1;
    }
    keys
};

const fn of_views() -> [Binding; views::VIEWS.len()] {
    let (mut bindings, mut at) =
        ([bind(&[], VIEWS, Command::Help, HelpGroup::View, ""); views::VIEWS.len()], 0);
    while at < bindings.len() {
        let spec = views::VIEWS[at];
        let scopes = if at == views::LIST_INDEX { LEADS_BACK } else { VIEWS };
        bindings[at] = bind(&VIEW_KEYS[at], scopes, Command::View(spec), HelpGroup::View, spec.help);
        at += 1;
    }
    bindings
}

const fn joined<const N: usize>(parts: &[&[Binding]]) -> [Binding; N] {
    let (mut all, mut part, mut end) = ([parts[0][0]; N], 0, 0);
    while part < parts.len() {
        let mut at = 0;
        while at < parts[part].len() {
            all[end] = parts[part][at];
            (at, end) = (at + 1, end + 1);
        }
        part += 1;
    }
    assert!(end == N);
    all
}

const COUNT: usize = MOVES.len()
    + SORTABLE.len()
    + ORDER.len()
    + OPTIONAL.len()
    + SHOWN.len()
    + views::VIEWS.len()
    + EDITS.len()
    + OTHERS.len();

pub const KEYMAP: &[Binding] = &joined::<COUNT>(&[
    MOVES,
    &of_columns(SORTABLE, false),
    ORDER,
    &of_columns(OPTIONAL, true),
    SHOWN,
    &of_views(),
    EDITS,
    OTHERS,
]);

const MOVES: &[Binding] = &{
    use Command as C;
    use HelpGroup as G;
    use KeyCode as K;
    [
        bind(&[key(K::Up), letter('k')], TEXT, C::Move(Motion::Up), G::Move, "up"),
        bind(&[key(K::Down), letter('j')], TEXT, C::Move(Motion::Down), G::Move, "down"),
        bind(&[key(K::PageUp), control('b')], TEXT, C::Move(Motion::PageUp), G::Move, "a page up"),
        bind(&[key(K::PageDown), control('f')], TEXT, C::Move(Motion::PageDown), G::Move, "a page down"),
        bind(&[control('u')], TEXT, C::Move(Motion::HalfUp), G::Move, "half a page up"),
        bind(&[control('d')], TEXT, C::Move(Motion::HalfDown), G::Move, "half a page down"),
        bind(&[key(K::Home), letter('g')], OPENED, C::Move(Motion::Top), G::Move, "top"),
        bind(&[key(K::End), letter('G')], TEXT, C::Move(Motion::Bottom), G::Move, "bottom"),
        hint(
            2,
            "open",
            bind(
                &[key(K::Enter), key(K::Right), letter('l')],
                GOING,
                C::Open,
                G::Move,
                "open, or go to entry",
            ),
        ),
        hint(
            8,
            "parent",
            bind(
                &[key(K::Left), key(K::Backspace), letter('h')],
                LIST,
                C::Parent,
                G::Move,
                "parent directory",
            ),
        ),
    ]
};

const ORDER: &[Binding] = &{
    use Command as C;
    use HelpGroup as G;
    [
        bind(&[letter('t')], LIST, C::DirectoriesFirst, G::Sort, "directories first"),
        hint(11, "apparent", bind(&[letter('a')], VIEWS, C::Measure, G::Show, "apparent size")),
    ]
};

const SHOWN: &[Binding] = &{
    use Command as C;
    use HelpGroup as G;
    [
        bind(&[letter('=')], ROWS, C::Scale, G::Show, "change bar scale"),
        bind(&[letter('B')], ROWS, C::Graph, G::Show, "bars and percentages"),
        bind(&[letter('P')], ROWS, C::Preview, G::Show, "cycle side panes"),
        // The two keys share one hint in the status line, so only the second binding has a hint text.
        hint(3, "", bind(&[letter('[')], VIEWS, C::OlderBaseline, G::Growth, "older snapshot")),
        hint(3, "snapshot", bind(&[letter(']')], VIEWS, C::NewerBaseline, G::Growth, "newer snapshot")),
        bind(&[letter('e')], DIRECTORY, C::Hidden, G::Show, "hidden and excluded"),
    ]
};

const EDITS: &[Binding] = &{
    use Command as C;
    use HelpGroup::Text;
    use KeyCode as K;
    [
        bind(&[key(K::Left), control('b')], TYPED, C::Step(TextMotion::Left), Text, "move left"),
        bind(&[key(K::Right), control('f')], TYPED, C::Step(TextMotion::Right), Text, "move right"),
        bind(&[alt('b')], TYPED, C::Step(TextMotion::WordLeft), Text, "move a word left"),
        bind(&[alt('f')], TYPED, C::Step(TextMotion::WordRight), Text, "move a word right"),
        bind(&[key(K::Home), control('a')], TYPED, C::Step(TextMotion::Start), Text, "start of the text"),
        bind(&[key(K::End), control('e')], TYPED, C::Step(TextMotion::End), Text, "end of the text"),
        bind(&[key(K::Backspace)], TYPED, C::Erase(TextMotion::Left), Text, "delete character"),
        bind(
            &[key(K::Delete), control('d')],
            TYPED,
            C::Erase(TextMotion::Right),
            Text,
            "delete next character",
        ),
        bind(&[control('w')], TYPED, C::Erase(TextMotion::WordLeft), Text, "delete previous word"),
        bind(&[alt('d')], TYPED, C::Erase(TextMotion::WordRight), Text, "delete next word"),
        bind(&[control('u')], TYPED, C::Erase(TextMotion::Start), Text, "delete to the start"),
        bind(&[control('k')], TYPED, C::Erase(TextMotion::End), Text, "delete to the end"),
        bind(&[key(K::Up)], RECALLED, C::Move(Motion::Up), HelpGroup::Search, "up, or previous input"),
        bind(&[key(K::Down)], RECALLED, C::Move(Motion::Down), HelpGroup::Search, "down, or next input"),
    ]
};

const OTHERS: &[Binding] = &{
    use Command as C;
    use HelpGroup as G;
    use KeyCode as K;
    [
        hint(
            8,
            "back",
            bind(&[key(K::Left), key(K::Backspace), letter('h')], TABLE, C::Back, G::View, "close the view"),
        ),
        hint(2, "open", bind(&[key(K::Enter)], TABLE, C::Open, G::View, "go to entry in list")),
        bind(&[key(K::Right), letter('l')], TABLE, C::Inside, G::View, "enter the directory"),
        bind(&[key(K::Left), letter('h')], CELLS, C::Cell(Side::Left), G::Treemap, "cell to the left"),
        bind(&[key(K::Right), letter('l')], CELLS, C::Cell(Side::Right), G::Treemap, "cell to the right"),
        bind(&[key(K::Up), letter('k')], CELLS, C::Cell(Side::Above), G::Treemap, "cell above"),
        bind(&[key(K::Down), letter('j')], CELLS, C::Cell(Side::Below), G::Treemap, "cell below"),
        hint(2, "open", bind(&[key(K::Enter)], TREEMAP, C::Open, G::Treemap, "treemap: open cell")),
        hint(2, "open", bind(&[key(K::Enter)], OVERVIEW, C::Open, G::Treemap, "overview: open view")),
        hint(8, "parent", bind(&[key(K::Backspace)], TREEMAP, C::Parent, G::Treemap, "parent directory")),
        hint(6, "colors", bind(&[letter('c')], TREEMAP, C::MapColors, G::Treemap, "cycle treemap colors")),
        hint(6, "search", bind(&[letter('/')], VIEWS, C::Search, G::View, "search this directory")),
        bind(&[letter('/')], &[Scope::Help], C::Search, G::Program, "search this help"),
        hint(0, "keep", bind(&[key(K::Enter)], PROMPT, C::Accept, G::Search, "show the results")),
        hint(1, "clear", bind(&[key(K::Esc)], PROMPT, C::Back, G::Search, "clear the search")),
        hint(4, "mark", bind(&[letter(' ')], ENTRIES, C::Mark, G::Mark, "mark or unmark")),
        bind(&[letter('V')], ROWS, C::MarkRange, G::Mark, "start or end a range"),
        bind(&[letter('+')], ROWS_AND_CELLS, C::MarkShown, G::Mark, "mark all shown"),
        bind(&[letter('*')], ROWS_AND_CELLS, C::InvertMarks, G::Mark, "invert marks"),
        hint(
            4,
            "mark older",
            bind(&[letter('>')], TABLE, C::MarkCopies(KeptCopy::Newest), G::Mark, "mark older copies"),
        ),
        bind(&[letter('<')], TABLE, C::MarkCopies(KeptCopy::Oldest), G::Mark, "mark newer copies"),
        hint(10, "mark others", bind(&[letter('.')], TABLE, C::MarkElsewhere, G::Mark, "mark other copies")),
        hint(9, "share data", bind(&[letter('X')], TABLE, C::Share, G::Mark, "make copies share data")),
        hint(12, "marks", bind(&[key(K::Tab)], VIEWS, C::Marks, G::Mark, "list the marks")),
        bind(&[key(K::Tab)], &[Scope::Marks], C::Back, G::Mark, "close list of marks"),
        bind(&[letter('p')], ENTRIES, C::PrintMarks, G::Mark, "print marks and quit"),
        hint(5, "delete", bind(&[letter('d')], ENTRIES, C::Delete, G::Delete, "delete permanently")),
        bind(&[letter('D')], ENTRIES, C::Trash, G::Delete, "move to the trash"),
        bind(&[letter('U')], VIEWS, C::Restore, G::Delete, "restore from the trash"),
        bind(&[letter('H')], ENTRIES, C::Script, G::Delete, "write a delete script"),
        bind(&[letter('e')], &[Scope::Confirm], C::Empty, G::Delete, "delete contents only"),
        hint(1, "retry", bind(&[letter('r')], KEPT, C::Retry, G::Delete, "retry, or rescan")),
        bind(&[letter('y')], VIEWS, C::CopyPath, G::Program, "copy the path"),
        hint(13, "info", bind(&[letter('i')], ENTRIES, C::Inspect, G::Program, "info")),
        hint(
            1,
            "close",
            bind(
                &[letter('i'), key(K::Left), letter('h')],
                DETAILS,
                C::Back,
                G::Program,
                "close the info page",
            ),
        ),
        bind(&[letter('v')], ENTRIES, C::Start(Program::Pager), G::Program, "view in the pager"),
        bind(&[letter('o')], ENTRIES, C::Start(Program::Opener), G::Program, "open in default app"),
        bind(&[letter('b')], VIEWS, C::Start(Program::Shell), G::Program, "start a shell here"),
        bind(&[letter('E')], VIEWS, C::Export, G::Program, "export to a file"),
        hint(0, "write", bind(&[key(K::Enter)], FILE_NAME, C::Accept, G::Program, "write the export")),
        hint(1, "close", bind(&[key(K::Esc)], FILE_NAME, C::Back, G::Program, "cancel")),
        bind(&[letter('r')], LIST, C::Rescan, G::Program, "rescan directory"),
        bind(&[letter('R')], LIST, C::RescanRoot, G::Program, "rescan the scan root"),
        hint(0, "keys", bind(&[letter('?')], LEADS_BACK, C::Help, G::Program, "all keys")),
        bind(&[key(K::Esc)], OPENED, C::Back, G::Program, "close, or clear search"),
        bind(&[letter('?'), key(K::Enter)], &[Scope::Help], C::Back, G::Program, "close the help"),
        hint(7, "quit", bind(&[letter('q')], OPENED, C::Quit, G::Program, "back, or quit")),
        bind(&[control('c')], EVERYWHERE, C::Interrupt, G::Program, "stop, or quit"),
        bind(&[control('z')], EVERYWHERE, C::Suspend, G::Program, "suspend"),
        bind(&[control('l')], EVERYWHERE, C::Repaint, G::Program, "repaint"),
        hint(1, "yes", bind(&[letter('y')], QUESTION, C::Answer(Answer::Yes), G::Question, "yes")),
        hint(0, "no", bind(&[letter('n'), key(K::Esc)], ANSWER, C::Answer(Answer::No), G::Question, "no")),
        bind(&[letter('q')], QUESTION, C::Answer(Answer::Leave), G::Question, "no (quit dialog: yes)"),
        hint(
            3,
            "switch",
            bind(
                &[key(K::Tab), key(K::Left), key(K::Right)],
                QUESTION,
                C::Answer(Answer::Other),
                G::Question,
                "select other button",
            ),
        ),
        bind(&[key(K::Enter)], ANSWER, C::Answer(Answer::Selected), G::Question, "press selected button"),
    ]
};
