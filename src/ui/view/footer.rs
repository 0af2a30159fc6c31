//! Footer: a notice, else the progress of the scan, else the keys.
//!
//! ```text
//!  ⠙ 12,345 entries · 85,000/s · 3.2 GiB · 2 errors  /usr/share/doc
//!  ? help  q quit  Enter open  Left parent  s size  n name       3 of 212
//! ```

use ratatui::layout::Rect;
use ratatui::text::{Line, Span};

use super::draw_ends;
use crate::base::format::{duration, grouped, plain_size};
use crate::base::text::{escape, escape_path, fit, width};
use crate::scan::Outcome;
use crate::ui::app::{App, Rescan};
use crate::ui::hit_map::{Canvas, Hit, HitMap};
use crate::ui::keys::{Binding, Command, KEYMAP, Key, Scope};
use crate::ui::layers::confirm_delete::DeleteDialog;
use crate::ui::layers::{Layer, failures, marks_list};
use crate::ui::theme::Role;
use crate::ui::views::growth;

/// Width below which there is room for one part only.
const NARROW: usize = 24;

/// Draws the footer below the view, or below the page that replaces it.
pub(super) fn draw(app: &App<'_>, page: Option<&Layer<'_>>, area: Rect, canvas: &mut Canvas<'_>) {
    let Canvas { buffer, hits } = canvas;
    let room = usize::from(area.width);
    if let Some(notice) = app.notice_text() {
        let text = format!(" {}", fit(&notice, room.saturating_sub(2), app.theme.glyphs.gap()));
        draw_ends(&Line::styled(text, app.theme.style(Role::Strong)), &Line::default(), area, buffer);
    } else if app.is_scanning() {
        let help = first_hint(app, room);
        let (left, right) = (progress(app, room - help), keys(app, help));
        draw_ends(&left, &right, area, buffer);
        let width = u16::try_from(right.width()).unwrap_or(u16::MAX);
        add_hits(app, help, area.right().saturating_sub(width), area, hits);
    } else if let Some(running) = &app.reclaim.running {
        draw_ends(&failures::progress(app, running, room), &Line::default(), area, buffer);
    } else if let Some(rescan) = app.rescan() {
        draw_ends(&reading_again(app, rescan, room), &Line::default(), area, buffer);
    } else {
        let right = idle(app, page, room);
        let room = room.saturating_sub(right.width() + 1);
        draw_ends(&keys(app, room), &right, area, buffer);
        add_hits(app, room, area.x, area, hits);
    }
}

/// Returns the width reserved for the first key, which leads to all others and is always shown.
fn first_hint(app: &App<'_>, room: usize) -> usize {
    let first = if room < NARROW { None } else { hints(app, room).into_iter().next() };
    first.map_or(0, |(key, word)| hint_width(key, word) + 1)
}

/// Returns the part to the right of the keys.
fn idle<'a>(app: &App<'_>, page: Option<&Layer<'_>>, room: usize) -> Line<'a> {
    match page.and_then(|page| page.component().position()) {
        Some((index, count)) => lines_place(index, count, room / 2),
        None if app.views.page.is_some() => page_place(app, room / 2),
        None => place(app, room),
    }
}

/// Returns the number of the line and of all lines, if that fits.
fn lines_place<'a>(index: usize, count: usize, room: usize) -> Line<'a> {
    let text = row_of(index, count) + " ";
    Line::raw(if width(&text) <= room { text } else { String::new() })
}

/// Returns the number of the row and of all rows.
fn row_of(index: usize, rows: usize) -> String {
    format!("{} of {}", grouped((index + 1).min(rows) as u64), grouped(rows as u64))
}

/// Adds the key hints of a line to the hit map.
fn add_hits(app: &App<'_>, room: usize, mut x: u16, area: Rect, hits: &mut HitMap) {
    for (key, word) in hints(app, room) {
        let width = u16::try_from(hint_width(key, word)).unwrap_or(u16::MAX);
        hits.add(Rect { x, width, ..area }.intersection(area), Hit::Key(key));
        x = x.saturating_add(width);
    }
}

/// Returns the progress of the rescan.
fn reading_again<'a>(app: &App<'_>, rescan: &Rescan, room: usize) -> Line<'a> {
    let theme = app.theme;
    let spinner = app.spinner();
    let entries = format!("{} entries", grouped(rescan.progress.entries));
    let name = escape(&rescan.name).into_owned();
    let stops = app.keymap.hint(Command::Back, app.scope(), "stops");
    let text = format!("rescanning {name} {} {entries}{stops}", theme.glyphs.dot());
    Line::from(vec![
        Span::styled(format!(" {spinner} "), theme.style(Role::Bar)),
        Span::raw(fit(&text, room.saturating_sub(4), theme.glyphs.gap()).into_owned()),
    ])
}

/// Returns the progress of the scan.
fn progress<'a>(app: &App<'_>, room: usize) -> Line<'a> {
    let theme = app.theme;
    let tick = &app.scan.last;
    let spinner = app.spinner();
    let dot = format!(" {} ", theme.glyphs.dot());
    let errors = match tick.progress.errors {
        0 => String::new(),
        1 => format!("{dot}1 error"),
        errors => format!("{dot}{} errors", grouped(errors)),
    };
    let percent = app.scan.percent().map_or_else(String::new, |percent| format!("{percent} %{dot}"));
    let entries = format!("{percent}{}", grouped(tick.progress.entries));
    let bytes = plain_size(tick.progress.disk, app.units);
    let rate = if app.scan.rate == 0 { String::new() } else { format!("{dot}{}/s", grouped(app.scan.rate)) };
    let texts = [
        format!("{entries} entries{rate}{dot}{bytes}"),
        format!("{entries} entries{dot}{bytes}"),
        format!("{entries} entries"),
        entries,
    ];
    let text = texts.iter().find(|text| width(text) + width(&errors) + 4 <= room).unwrap_or(&texts[3]);
    let mut spans = vec![
        Span::styled(format!(" {spinner} "), theme.style(Role::Bar)),
        Span::raw(text.clone()),
        Span::styled(errors, theme.style(Role::Warning)),
    ];
    let left = room.saturating_sub(spans.iter().map(Span::width).sum::<usize>() + 3);
    if let Some(silent) = tick.progress.silent.first() {
        const WORDS: &str = " does not answer";
        let path = escape_path(silent);
        let path = fit(&path, left.saturating_sub(WORDS.len()), theme.glyphs.gap()).into_owned();
        spans.push(Span::styled(format!("  {path}{WORDS}"), theme.style(Role::Warning)));
    } else if let Some(current) = tick.progress.current.as_deref().filter(|_| left >= 12) {
        let path = escape_path(current);
        let path = fit(&path, left, theme.glyphs.gap()).into_owned();
        spans.push(Span::styled(format!("  {path}"), theme.style(Role::Faint)));
    }
    Line::from(spans)
}

/// Returns the keys that have a word for the footer, as many as fit.
pub(in crate::ui) fn keys<'a>(app: &App<'_>, room: usize) -> Line<'a> {
    let spans = hints(app, room).into_iter().flat_map(|(key, word)| {
        let key = Span::styled(format!(" {}", key.name()), app.theme.style(Role::Strong));
        [key, Span::styled(format!(" {word} "), app.theme.style(Role::Faint))]
    });
    Line::from(spans.collect::<Vec<_>>())
}

/// Returns those keys with their words.
fn hints(app: &App<'_>, room: usize) -> Vec<(Key, &'static str)> {
    let scope = app.scope();
    let is_of_use = |command| match (command, &app.views.page) {
        (Command::View(view), _) => app.views.is_of_use(view),
        (Command::Retry, _) if scope == Scope::Confirm => {
            app.delete_dialog().is_some_and(DeleteDialog::has_changed)
        }
        (Command::Sort(column), Some(page)) => page.table.may_sort(column),
        (Command::Mark | Command::Delete | Command::Inspect, Some(page)) => page.table.has_entries,
        _ => true,
    };
    // A key that leaves the list leads back to it from any other view.
    let word = |binding: &Binding, word| match binding.command {
        Command::Quit if scope != Scope::List => "back",
        _ => word,
    };
    let lines = KEYMAP.iter().enumerate();
    let lines = lines.filter(|(_, it)| it.scopes.contains(&scope) && is_of_use(it.command));
    let key = |line| app.keymap.keys_in(line, scope).next();
    let hint = |(line, binding): (usize, &Binding)| {
        let (rank, text) = binding.footer?;
        Some(((rank, word(binding, text)), key(line)?))
    };
    let mut hints: Vec<_> = lines.filter_map(hint).collect();
    hints.sort_by_key(|((rank, _), _)| *rank);
    let mut said = Vec::new();
    hints.retain(|((_, word), _)| {
        let is_new = !said.contains(word);
        said.push(*word);
        is_new
    });
    let mut used = 0;
    let fits = |(key, word): &(Key, &'static str)| {
        used += hint_width(*key, word);
        used <= room
    };
    hints.into_iter().map(|((_, word), key)| (key, word)).take_while(fits).collect()
}

/// Returns the width of a key and its word, with a space on either side and one between.
fn hint_width(key: Key, word: &str) -> usize {
    1 + width(&key.name()) + 1 + width(word) + 1
}

/// Returns the row of a view and the state of its search; as much as fits.
pub(in crate::ui) fn page_place<'a>(app: &App<'_>, room: usize) -> Line<'a> {
    let Some(page) = &app.views.page else { return Line::default() };
    let rows = row_of(page.index, page.rows);
    let looking = format!("looking{} ", app.theme.glyphs.gap());
    let looking = if page.is_complete { String::new() } else { looking };
    // Commands apply to the marks, wherever those are.
    let dot = app.theme.glyphs.dot();
    let (marked, how_many) = match app.marks().count() {
        0 => (String::new(), String::new()),
        _ => {
            (format!(" {dot} {}", marks_list::summary(app)), format!(" {dot} {}", marks_list::how_many(app)))
        }
    };
    let texts = [
        (format!("{looking}{rows}"), marked.clone()),
        (rows.clone(), marked),
        (rows.clone(), how_many),
        (rows, String::new()),
        (String::new(), String::new()),
    ];
    let fits = |(place, marked): &(String, String)| width(place) + width(marked) < room;
    let (place, marked) = texts.into_iter().find(fits).unwrap_or_default();
    Line::from(vec![Span::raw(place), Span::styled(marked, app.theme.style(Role::Strong)), Span::raw(" ")])
}

/// Returns the row and the result of the scan; more in a wide window.
fn place<'a>(app: &App<'_>, room: usize) -> Line<'a> {
    let (window, most) = (&app.window, room - first_hint(app, room));
    let mut facts = vec![(row_of(window.index, window.rows), Role::Plain)];
    if app.is_filtered() {
        let clears = app.keymap.first(Command::Back, Scope::List).map(|key| format!(": {key} shows all"));
        let clears =
            clears.filter(|clears| width(&facts[0].0) + width(clears) + width(" · filtered ") <= most);
        facts.push((format!("filtered{}", clears.unwrap_or_default()), Role::Strong));
    }
    if app.marks().count() > 0 {
        facts.push((marks_list::summary(app), Role::Strong));
    }
    if app.written().is_some() {
        facts.push(("writing".to_owned(), Role::Strong));
    }
    if window.left_out > 0 {
        facts.push((format!("{} hidden", grouped(window.left_out as u64)), Role::Strong));
    }
    match window.totals.errors {
        0 => {}
        1 => facts.push(("1 error".to_owned(), Role::Warning)),
        errors => facts.push((format!("{} errors", grouped(u64::from(errors))), Role::Warning)),
    }
    if let Some(since) = app.views.offer().and_then(|offer| offer.since) {
        let key = app.keymap.first(Command::View(&growth::VIEW), app.scope());
        let text = crate::base::format::since(since, app.views.now());
        facts.extend(key.map(|key| (format!("{key}: {text}"), Role::Plain)));
    }
    match &app.scan.last.outcome {
        Some(Outcome::Stopped) => facts.push(("stopped".to_owned(), Role::Warning)),
        Some(Outcome::Panicked(_)) => facts.push(("the scan failed".to_owned(), Role::Warning)),
        Some(Outcome::Broken(faults)) => facts.push((faults.join("; "), Role::Warning)),
        Some(Outcome::Complete) | None => facts.push((duration(app.scan.last.elapsed), Role::Faint)),
    }
    let mut spans = Vec::new();
    for (text, role) in facts {
        let dot = if spans.is_empty() { String::new() } else { format!(" {} ", app.theme.glyphs.dot()) };
        let used: usize = spans.iter().map(Span::width).sum();
        // Half of the line belongs to the keys; warnings may take more.
        let limit = if role == Role::Faint { room / 2 } else { most };
        if used + width(&dot) + width(&text) + 1 > limit {
            continue;
        }
        spans.push(Span::styled(dot, app.theme.style(Role::Faint)));
        spans.push(Span::styled(text, app.theme.style(role)));
    }
    spans.push(Span::raw(" "));
    Line::from(spans)
}
