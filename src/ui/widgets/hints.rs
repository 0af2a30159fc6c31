//! Key hints in the status line and in prompts. A hint consists of a key and a word that explains the key. The most
//! important hint comes first.

use std::borrow::Cow;

use ratatui::text::{Line, Span};

use crate::base::format::grouped;
use crate::base::sort::sort_by_key;
use crate::base::text::width;
use crate::source::SourceKind;
use crate::tree::DirId;
use crate::ui::component::Component;
use crate::ui::context::Context;
use crate::ui::keys::{Answer, Binding, Command, KEYMAP, Key, Scope};
use crate::ui::options::DeleteMode;
use crate::ui::table_page::{EnterEffect, TablePage, is_of_table};
use crate::ui::theme::Role;
use crate::ui::views::RowMarks;

/// Rank of the deletion hint while entries are marked; replaces the hint's usual rank. The lowest rank comes first.
const DELETE_MARKED: u8 = 1;

/// Properties of the top layer or, if no layer is open, of the view. The status line and the key hints depend on them.
#[derive(Clone, Copy, Debug)]
pub struct Top<'l, 't> {
    pub scope: Scope,
    pub layer: Option<&'l dyn Component<'t>>,
    /// Index of the cursor line, and number of lines, if a page replaces the view.
    pub position: Option<(usize, usize)>,
}

/// Key with the word that explains it.
pub struct KeyHint {
    pub key: Key,
    word: Cow<'static, str>,
}

impl KeyHint {
    /// Returns the width of the hint. There is a space before the key, and a space before and after the word. A key
    /// without a word is followed directly by the next hint, whose word explains both keys.
    pub fn width(&self) -> usize {
        let word = if self.word.is_empty() { 0 } else { 1 + width(&self.word) + 1 };
        1 + width(&self.key.name()) + word
    }
}

/// Returns as many key hints as fit, most important first.
pub fn keys<'a>(cx: &Context<'_>, top: Top<'_, '_>, room: usize) -> Line<'a> {
    let spans = fitting(cx, top, room).into_iter().flat_map(|KeyHint { key, word }| {
        let word = if word.is_empty() { String::new() } else { format!(" {word} ") };
        let key = Span::styled(format!(" {}", key.name()), cx.theme.style(Role::Accent));
        [key, Span::styled(word, cx.theme.style(Role::Faint))]
    });
    Line::from(spans.collect::<Vec<_>>())
}

/// Returns the hints that fit into `room` terminal columns.
pub fn fitting(cx: &Context<'_>, top: Top<'_, '_>, room: usize) -> Vec<KeyHint> {
    let mut used = 0;
    let fits = |hint: &KeyHint| {
        used += hint.width();
        used <= room
    };
    hints(cx, top).into_iter().take_while(fits).collect()
}

/// Returns the width of the `count` most important hints.
pub fn width_of_first(cx: &Context<'_>, top: Top<'_, '_>, count: usize) -> usize {
    hints(cx, top).iter().take(count).map(KeyHint::width).sum()
}

/// Returns all hints for the current view or layer, most important first.
fn hints(cx: &Context<'_>, top: Top<'_, '_>) -> Vec<KeyHint> {
    let lines = KEYMAP.iter().enumerate();
    let has_hint = |it: &Binding| it.status_line.is_some() && it.scopes.contains(&top.scope);
    let lines = lines.filter(|(_, it)| has_hint(it) && is_useful(cx, top, it.command));
    let hint = |(line, binding): (usize, &Binding)| {
        let (rank, word) = word(cx, top.scope, binding)?;
        Some((rank, KeyHint { key: cx.keymap.keys_in(line, top.scope).next()?, word }))
    };
    let mut hints: Vec<_> = lines.filter_map(hint).collect();
    sort_by_key(&mut hints, |(rank, _)| *rank);
    let mut hints: Vec<_> = hints.into_iter().map(|(_, hint)| hint).collect();
    let mut words = Vec::new();
    hints.retain(|hint| {
        let is_new = !words.contains(&hint.word);
        words.push(hint.word.clone());
        is_new
    });
    hints
}

/// Returns `false` if the command would have no effect now, for example because of the row under the cursor.
fn is_useful(cx: &Context<'_>, top: Top<'_, '_>, command: Command) -> bool {
    let page = cx.views.page.as_ref();
    let is_empty = match (top.scope, top.position, page) {
        (_, Some((_, rows)), _) => rows == 0,
        (Scope::Overview, ..) => false,
        (_, None, Some(page)) => page.rows == 0,
        (_, None, None) => cx.window.rows == 0,
    };
    match command {
        _ if top.layer.is_some_and(|layer| !layer.is_useful(command)) => false,
        _ if top.layer.is_none() && page.is_some_and(|page| !is_of_table(page.table, command)) => false,
        Command::View(view) => cx.views.is_useful(view),
        Command::OlderBaseline | Command::NewerBaseline => {
            page.is_some_and(|page| page.table.is_of_changes())
                && cx.views.compared.baseline().is_some_and(|offer| offer.count > 1)
        }
        Command::Delete | Command::Trash | Command::Share
            if cx.deletion.policy.mode == DeleteMode::ReadOnly || cx.source_kind != SourceKind::Live =>
        {
            false
        }
        Command::Delete if cx.marks().count() > 0 => true,
        Command::Marks => cx.marks().count() > 0,
        Command::Open
        | Command::Sort(_)
        | Command::Mark
        | Command::MarkCopies(_)
        | Command::MarkElsewhere
        | Command::Share
        | Command::Delete
        | Command::Inspect
            if is_empty =>
        {
            false
        }
        _ if top.layer.is_some() => true,
        _ => match page {
            Some(page) => is_useful_on_page(page, command),
            None => is_useful_in_list(cx, top.scope, command),
        },
    }
}

fn is_useful_on_page(page: &TablePage, command: Command) -> bool {
    let row = page.row;
    match command {
        Command::Open => row.enter.is_some(),
        Command::Sort(column) => page.table.can_sort(column),
        Command::Mark => row.can_mark,
        Command::Delete => row.can_mark && page.table.marks == RowMarks::Entries,
        Command::Inspect => row.has_entries,
        Command::MarkCopies(_) => row.has_copies,
        Command::MarkElsewhere => row.has_copies && row.has_entries,
        Command::Share => row.has_copies && page.can_share,
        _ => true,
    }
}

/// Returns `false` if the command would have no effect in the list or the treemap. In the overview, always returns
/// `true`.
fn is_useful_in_list(cx: &Context<'_>, scope: Scope, command: Command) -> bool {
    match command {
        _ if scope == Scope::Overview => true,
        Command::Open => cx.can_open(),
        Command::Parent => cx.can_go_up(),
        Command::Mark => cx.can_mark(),
        // The roots of a scan cannot be deleted.
        Command::Delete => cx.can_mark() && cx.location.id != DirId::TOP,
        _ => true,
    }
}

/// Returns the rank and the word of a binding's hint, if it has one.
fn word(cx: &Context<'_>, scope: Scope, binding: &Binding) -> Option<(u8, Cow<'static, str>)> {
    let (rank, word) = binding.status_line?;
    let marks = cx.marks().count();
    Some(match binding.command {
        // Outside the list, the quit key closes the view or page instead of quitting.
        Command::Quit if scope != Scope::List => (rank, "back".into()),
        Command::Answer(Answer::No) if scope == Scope::Typing => (rank, "cancel".into()),
        // Every row of the list of marks is marked.
        Command::Mark if scope == Scope::Marks => (rank, "unmark".into()),
        Command::Delete if marks > 0 => (DELETE_MARKED, format!("{word} {}", grouped(marks)).into()),
        Command::Open => match cx.views.page.as_ref().and_then(|page| page.row.enter) {
            Some(EnterEffect::Fold) => (rank, "fold".into()),
            Some(EnterEffect::Unfold) => (rank, "unfold".into()),
            Some(EnterEffect::Open) | None => (rank, word.into()),
        },
        _ => (rank, word.into()),
    })
}
