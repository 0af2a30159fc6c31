//! The footer: something to say, else the progress of the scan, else the keys.
//!
//! ```text
//!  ⠙ 12,345 entries · 85,000/s · 3.2 GiB · 2 errors  /usr/share/doc
//!  ? help  q quit  Enter open  Left parent  s size  n name       3 of 212
//! ```

use ratatui::buffer::Buffer;
use ratatui::layout::Rect;
use ratatui::text::{Line, Span};

use super::{draw_ends, field, marks};
use crate::scan::Outcome;
use crate::size::{duration, grouped, plain_size};
use crate::text::{escape, fit, width};
use crate::ui::app::{App, Mode, Rescan};
use crate::ui::keys::{Binding, Command, KEYMAP, Key, Scope, View};
use crate::ui::sheet::{has_entries, may_sort};
use crate::ui::theme::Role;

/// Columns for the first of the keys, beside the progress of a scan.
const HELP: usize = 9;
/// Columns from which on there is room for both.
const WIDE: usize = 60;

pub(super) fn draw(app: &App<'_>, area: Rect, buffer: &mut Buffer) {
    let room = usize::from(area.width);
    if app.mode == Mode::FileName {
        draw_ends(&file_name(app, room), &Line::default(), area, buffer);
    } else if app.mode == Mode::Prompt {
        let left = prompt(app, room);
        let right = page_place(app, room.saturating_sub(left.width() + 1));
        draw_ends(&left, &right, area, buffer);
    } else if let Some(notice) = &app.notice {
        let text = format!(" {}", fit(notice, room.saturating_sub(2), app.theme.glyphs.gap()));
        draw_ends(&Line::styled(text, app.theme.style(Role::Strong)), &Line::default(), area, buffer);
    } else if app.is_scanning() {
        let help = if room < WIDE { 0 } else { HELP };
        let (left, right) = (progress(app, room - help), keys(app, help));
        draw_ends(&left, &right, area, buffer);
    } else if let Some(running) = &app.reclaim.running {
        draw_ends(&super::failures::progress(app, running, room), &Line::default(), area, buffer);
    } else if let Some(rescan) = app.rescan() {
        draw_ends(&reading_again(app, rescan, room), &Line::default(), area, buffer);
    } else {
        let right = idle(app, room);
        let left = keys(app, room.saturating_sub(right.width() + 1));
        draw_ends(&left, &right, area, buffer);
    }
}

/// What stands to the right of the keys.
fn idle<'a>(app: &App<'_>, room: usize) -> Line<'a> {
    match (app.mode, &app.reclaim.failed) {
        (Mode::Marks, _) => lines_place(app.pane().cursor.index, app.pane().count(), room / 2),
        (Mode::Failures, Some(failed)) => {
            lines_place(failed.cursor.index, failed.failures.first.len(), room / 2)
        }
        _ if app.views.page.is_some() => page_place(app, room / 2),
        _ => place(app, room),
    }
}

/// Which line of how many, if that fits.
fn lines_place<'a>(index: usize, count: usize, room: usize) -> Line<'a> {
    let text = row_of(index, count) + " ";
    Line::raw(if width(&text) <= room { text } else { String::new() })
}

/// Which row of how many.
fn row_of(index: usize, rows: usize) -> String {
    format!("{} of {}", grouped((index + 1).min(rows) as u64), grouped(rows as u64))
}

/// The key whose hint is at `x`, when the keys are shown.
pub(super) fn key_at(app: &App<'_>, x: usize) -> Option<Key> {
    let is_working = app.is_scanning() || app.is_deleting() || app.rescan().is_some();
    let is_busy = app.notice.is_some() || is_working;
    // The help page covers the footer.
    if is_busy || matches!(app.mode, Mode::Prompt | Mode::FileName | Mode::Help(_)) {
        return None;
    }
    let room = usize::from(app.size.0);
    let room = room.saturating_sub(idle(app, room).width() + 1);
    let mut end = 0;
    hints(app, room).into_iter().find_map(|(key, word)| {
        end += hint_width(key, word);
        (x < end).then_some(key)
    })
}

/// How the rescan goes on.
fn reading_again<'a>(app: &App<'_>, rescan: &Rescan, room: usize) -> Line<'a> {
    let theme = app.theme;
    let spinner = theme.glyphs.spinner(u64::try_from(app.scan.last.now.as_millis() / 125).unwrap_or(0));
    let entries = format!("{} entries", grouped(rescan.progress.entries));
    let name = escape(&rescan.name).into_owned();
    let stops = app.keymap.hint(Command::Back, app.scope(), "stops");
    let text = format!("reading {name} again {} {entries}{stops}", theme.glyphs.dot());
    Line::from(vec![
        Span::styled(format!(" {spinner} "), theme.style(Role::Bar)),
        Span::raw(fit(&text, room.saturating_sub(4), theme.glyphs.gap()).into_owned()),
    ])
}

/// How the scan goes on.
fn progress<'a>(app: &App<'_>, room: usize) -> Line<'a> {
    let theme = app.theme;
    let tick = &app.scan.last;
    let spinner = theme.glyphs.spinner(u64::try_from(tick.now.as_millis() / 125).unwrap_or(0));
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
    if let Some(current) = tick.progress.current.as_deref().filter(|_| left >= 12) {
        let path = escape(std::os::unix::ffi::OsStrExt::as_bytes(current.as_os_str())).into_owned();
        let path = fit(&path, left, theme.glyphs.gap()).into_owned();
        spans.push(Span::styled(format!("  {path}"), theme.style(Role::Faint)));
    }
    Line::from(spans)
}

/// The keys that a footer has words for, as many as fit.
fn keys<'a>(app: &App<'_>, room: usize) -> Line<'a> {
    let spans = hints(app, room).into_iter().flat_map(|(key, word)| {
        let key = Span::styled(format!(" {}", key.name()), app.theme.style(Role::Strong));
        [key, Span::styled(format!(" {word} "), app.theme.style(Role::Faint))]
    });
    Line::from(spans.collect::<Vec<_>>())
}

/// Those keys and their words.
fn hints(app: &App<'_>, room: usize) -> Vec<(Key, &'static str)> {
    let scope = app.scope();
    let is_of_use = |command| match (command, &app.views.page) {
        (Command::View(View::Space), _) => app.views.is_whole(),
        (Command::View(View::Growth), _) => app.views.can_grow(),
        (Command::Sort(column), Some(page)) => may_sort(page.ask, column),
        (Command::Mark | Command::Delete | Command::Inspect, Some(page)) => has_entries(page.ask),
        _ => true,
    };
    // What leaves the list leads back to it from anywhere else.
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

/// Columns of a key and its word, with a space on either side and one between.
fn hint_width(key: Key, word: &str) -> usize {
    1 + width(&key.name()) + 1 + width(word) + 1
}

/// The name of a file, as far as it is typed, and what is wrong with it or how it may end.
fn file_name<'a>(app: &App<'_>, room: usize) -> Line<'a> {
    let title = if room < WIDE { " >" } else { " Write to: " };
    let mut spans = field::spans(app, title, &app.export.name, room.saturating_sub(width(title)));
    let used: usize = spans.iter().map(Span::width).sum();
    let left = room.saturating_sub(used + 3);
    let gap = app.theme.glyphs.gap();
    let endings = crate::writing::ENDINGS.join(" ");
    match &app.export.complaint {
        Some(complaint) => {
            let complaint = fit(complaint, left, gap).into_owned();
            spans.push(Span::styled(format!("   {complaint}"), app.theme.style(Role::Warning)));
        }
        None if left >= width(&endings) => {
            spans.push(Span::styled(format!("   {endings}"), app.theme.style(Role::Faint)));
        }
        None => {}
    }
    Line::from(spans)
}

/// What is typed, and what is awaited or wrong there.
fn prompt<'a>(app: &App<'_>, room: usize) -> Line<'a> {
    let mut spans = field::spans(app, " /", &app.views.text, room.saturating_sub(2));
    let used: usize = spans.iter().map(Span::width).sum();
    let left = room.saturating_sub(used + 3);
    let is_said_above = app.views.page.as_ref().is_some_and(|page| page.failure.is_some());
    match &app.views.complaint {
        Some(complaint) if left >= 8 && !is_said_above => {
            let complaint = fit(complaint, left, app.theme.glyphs.gap()).into_owned();
            spans.push(Span::styled(format!("   {complaint}"), app.theme.style(Role::Warning)));
        }
        None if left >= 30 => {
            spans.push(Span::raw("  "));
            spans.extend(keys(app, left / 2).spans);
        }
        _ => {}
    }
    Line::from(spans)
}

/// Which row of how many of a view, and whether more are looked for; as much as fits.
fn page_place<'a>(app: &App<'_>, room: usize) -> Line<'a> {
    let Some(page) = &app.views.page else { return Line::default() };
    let rows = row_of(page.index, page.rows);
    let looking = format!("looking{} ", app.theme.glyphs.gap());
    let looking = if page.is_complete { String::new() } else { looking };
    // Commands are about the marks wherever those are.
    let dot = app.theme.glyphs.dot();
    let (marked, how_many) = match app.marks().count() {
        0 => (String::new(), String::new()),
        _ => (format!(" {dot} {}", marks::summary(app)), format!(" {dot} {}", marks::how_many(app))),
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

/// Which row of how many, and how the scan went; the more the wider.
fn place<'a>(app: &App<'_>, room: usize) -> Line<'a> {
    let window = &app.window;
    let mut facts = vec![(row_of(window.index, window.rows), Role::Plain)];
    if app.is_filtered() {
        let clears = app.keymap.first(Command::Back, Scope::List).map(|key| format!(": {key} shows all"));
        facts.push((format!("filtered{}", clears.unwrap_or_default()), Role::Strong));
    }
    if app.marks().count() > 0 {
        facts.push((marks::summary(app), Role::Strong));
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
        let key = app.keymap.first(Command::View(View::Growth), app.scope());
        let text = crate::size::since(since, app.views.now());
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
        let limit = if role == Role::Faint { room / 2 } else { room };
        if used + width(&dot) + width(&text) + 1 > limit {
            continue;
        }
        spans.push(Span::styled(dot, app.theme.style(Role::Faint)));
        spans.push(Span::styled(text, app.theme.style(role)));
    }
    spans.push(Span::raw(" "));
    Line::from(spans)
}
