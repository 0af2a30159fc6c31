//! Tabs of the views, each with its key and, in some cases, a badge such as the number of errors. The current
//! tab is highlighted.
//!
//! ```text
//!  1 List  2 Files  L Dirs  3 Types  4 Age  5 Map  7 Errors 3  8 Growth +212M  9 Clean
//! ```
//!
//! In a narrow window, names are shortened, the gaps between tabs shrink, and up to half of the tabs lose their names.
//! In an even narrower window, only the current tab and the tabs near it are shown, with their names; `…` stands for
//! the hidden tabs. The current view always has a tab. Some other views have a tab only in certain cases: the errors
//! view if there are errors, the growth view if there is a baseline, the duplicates view in a wide window, and the df
//! view in a wide window or after a scan of a whole file system.
//!
//! ```text
//!  … 2 Files 3 Types  4 Age  5 Map 7 Errors 3 …
//! ```

use std::cmp::{Ordering, Reverse};

use ratatui::layout::Rect;
use ratatui::style::{Modifier, Style};
use ratatui::text::{Line, Span};

use crate::base::format::{brief_size, elapsed, grouped};
use crate::base::sort::sort_by_key;
use crate::base::text::width;
use crate::source::SourceKind;
use crate::tree::DirId;
use crate::ui::context::Context;
use crate::ui::hit_map::{Canvas, Hit};
use crate::ui::keys::{Command, Scope};
use crate::ui::theme::{Colors, Role, filled};
use crate::ui::views::{
    LIST, Needs, OVERVIEW, TREEMAP, VIEWS, ViewSpec, ages, cleanup, df, directories, duplicates, errors,
    growth, largest, links, types,
};
use crate::ui::window::totals_size;

/// Views in the order in which the names in their tabs are shortened and, if the tabs still do not fit, omitted.
static LEAST_USED: [&ViewSpec; VIEWS.len()] = [
    &links::VIEW,
    &directories::VIEW,
    &ages::VIEW,
    &types::VIEW,
    &df::VIEW,
    &duplicates::VIEW,
    &largest::VIEW,
    &OVERVIEW,
    &TREEMAP,
    &LIST,
    &errors::VIEW,
    &cleanup::VIEW,
    &growth::VIEW,
];

/// Value of [`Tab::name`] for the abbreviated name.
const SHORT: usize = 1;
/// Value of [`Tab::name`] for the shortest name.
const BRIEF: usize = 2;
/// Value of [`Tab::name`] for a tab without a name.
const NAMELESS: usize = 3;
/// Value of [`Tab::name`] for a tab that is not shown.
const HIDDEN: usize = usize::MAX;

struct Tab {
    view: &'static ViewSpec,
    key: String,
    /// Index of the displayed name in [`ViewSpec::tab`], or [`NAMELESS`] or [`HIDDEN`].
    name: usize,
    /// Badge, such as the number of errors, and its role.
    badge: Option<(String, Role)>,
    /// Number of blanks after the tab.
    after: usize,
}

impl Tab {
    /// Returns the width of the tab, including the blank before it and the blanks after it.
    fn width(&self) -> usize {
        let badge = self.badge.as_ref().map_or(0, |(text, _)| 1 + width(text));
        let name = if self.name().is_empty() { 0 } else { 1 + width(self.name()) };
        1 + width(&self.key) + name + badge + self.after
    }

    fn is_hidden(&self) -> bool {
        self.name == HIDDEN
    }

    fn name(&self) -> &'static str {
        self.view.tab.get(self.name).copied().unwrap_or_default()
    }
}

/// Returns the view whose tab is highlighted. For search results, this is the list.
fn current(cx: &Context<'_>) -> &'static ViewSpec {
    let open = cx.views.tables.first().map(|view| view.spec);
    match VIEWS.iter().find(|view| open.is_some() && view.table == open) {
        Some(view) => view,
        None if open.is_none() && cx.views.is_treemap() => &TREEMAP,
        None if open.is_none() && cx.views.is_overview() => &OVERVIEW,
        None => &LIST,
    }
}

pub fn draw(cx: &Context<'_>, area: Rect, canvas: &mut Canvas<'_>) {
    if area.is_empty() {
        return;
    }
    let current = current(cx);
    let room = usize::from(area.width);
    let mut all = tabs(cx, current, room);
    let gap = format!(" {}", cx.theme.glyphs.gap());
    shorten(&mut all, current, room, width(&gap));
    let mut x = area.x;
    let mut was_hidden = false;
    for tab in &all {
        if tab.is_hidden() {
            if !std::mem::replace(&mut was_hidden, true) {
                let sign = Span::styled(gap.as_str(), cx.theme.style(Role::Faint));
                let room = area.right().saturating_sub(x);
                x = canvas.buffer.set_span(x, area.y, &sign, room).0;
            }
            continue;
        }
        was_hidden = false;
        let width = u16::try_from(tab.width()).unwrap_or(u16::MAX);
        let cells = Rect { x, width, ..area }.intersection(area);
        x = cells.right();
        let mut line = Line::from(vec![
            Span::styled(format!(" {}", tab.key), cx.theme.style(Role::Accent)),
            Span::styled(format!(" {}", tab.name()), cx.theme.style(Role::Faint)),
        ]);
        if let Some((text, role)) = &tab.badge {
            line.push_span(Span::styled(format!(" {text}"), cx.theme.style(*role)));
        }
        canvas.buffer.set_line(cells.x, cells.y, &line, cells.width);
        if tab.view == current {
            // Without colors, brackets in place of the outer blanks distinguish the current tab from marked text.
            if cx.theme.colors == Colors::None && cells.width >= 2 {
                canvas.buffer[(cells.x, cells.y)].set_char('[');
                canvas.buffer[(cells.right() - 1, cells.y)].set_char(']');
            }
            let style = Style::reset().patch(filled(cx.theme.style(Role::Accent)));
            canvas.buffer.set_style(cells, style.add_modifier(Modifier::BOLD));
        }
        canvas.hits.add(cells, Hit::View(tab.view));
    }
}

/// Returns the tabs of the current view and of all views that are likely to have contents. If there is room for all
/// names in full, also returns the tabs of the df and duplicates views, provided that they can be opened.
fn tabs(cx: &Context<'_>, current: &ViewSpec, room: usize) -> Vec<Tab> {
    let is_useful = |view: &ViewSpec| cx.views.is_useful(view);
    let works = |view: &ViewSpec| match view.needs {
        Needs::LiveScan => cx.source_kind == SourceKind::Live,
        Needs::CompleteScan => cx.source_kind == SourceKind::Live && !cx.is_scanning(),
        Needs::Nothing | Needs::Baseline => is_useful(view),
    };
    let all = tabs_of(cx, current, works);
    if total(&all, 0) <= room { all } else { tabs_of(cx, current, is_useful) }
}

/// Returns the tabs of the current view and of all views for which `has_tab` returns `true`. The errors view has
/// a tab only if there are errors or it is the current view.
fn tabs_of(cx: &Context<'_>, current: &ViewSpec, has_tab: impl Fn(&ViewSpec) -> bool) -> Vec<Tab> {
    let errors = u64::from(cx.window.totals.errors);
    let tab = |view: &&'static ViewSpec| {
        let is_errors = *view == &errors::VIEW;
        let has_contents = has_tab(view) && (!is_errors || errors > 0);
        let key = cx.keymap.first(Command::View(view), Scope::List)?.clone();
        let badge = match *view {
            view if *view == errors::VIEW => (errors > 0).then(|| (grouped(errors), Role::Warning)),
            view if *view == growth::VIEW => total_growth(cx),
            _ => None,
        };
        (has_contents || *view == current).then_some(Tab { view, key, name: 0, badge, after: 1 })
    };
    VIEWS.iter().filter_map(tab).collect()
}

/// Shortens the tabs until they fit into `room` columns. The current tab keeps its name. Each group of adjacent hidden
/// tabs is replaced by one symbol of `gap` columns.
fn shorten(all: &mut [Tab], current: &ViewSpec, room: usize, gap: usize) {
    if total(all, gap) <= room {
        return;
    }
    for tab in all.iter_mut() {
        tab.name = SHORT;
    }
    if total(all, gap) <= room {
        return;
    }
    let here = all.iter().position(|tab| tab.view == current).unwrap_or(0);
    for (index, tab) in all.iter_mut().enumerate() {
        // One blank before each tab remains. Only the current tab keeps an additional blank on either side.
        tab.after = usize::from(index == here || index + 1 == here);
    }
    for view in LEAST_USED {
        if total(all, gap) <= room {
            return;
        }
        all.iter_mut().filter(|tab| tab.view == view).for_each(|tab| tab.name = BRIEF);
    }
    let mut nameless = all.len() / 2;
    for view in LEAST_USED.into_iter().filter(|view| *view != current) {
        if total(all, gap) <= room {
            return;
        }
        let Some(tab) = all.iter_mut().find(|tab| tab.view == view) else { continue };
        let Some(left) = nameless.checked_sub(1) else { break };
        (tab.name, nameless) = (NAMELESS, left);
    }
    for tab in all.iter_mut() {
        tab.name = SHORT;
    }
    let mut others: Vec<usize> = (0..all.len()).filter(|index| *index != here).collect();
    sort_by_key(&mut others, |index| Reverse(index.abs_diff(here)));
    for index in others {
        if total(all, gap) <= room {
            return;
        }
        all[index].name = HIDDEN;
    }
}

/// Returns the total width of all tabs. Each group of adjacent hidden tabs has a width of `gap` columns.
fn total(all: &[Tab], gap: usize) -> usize {
    let groups = all.chunk_by(|one, other| one.is_hidden() && other.is_hidden());
    groups.map(|group| if group[0].is_hidden() { gap } else { group[0].width() }).sum()
}

/// Returns the total change of all roots since the baseline; `None` if the scan has not been completed, if the totals
/// of the baseline are unknown, or if nothing has changed.
fn total_growth(cx: &Context<'_>) -> Option<(String, Role)> {
    let is_complete = !cx.is_scanning() && !cx.tree.status(DirId::TOP).partial;
    let before = cx.views.compared.baseline()?.totals.filter(|_| is_complete)?;
    let before = totals_size(&before, cx.order.measure);
    let after = totals_size(&cx.sizes().live.totals(cx.tree, DirId::TOP), cx.order.measure);
    let (sign, role) = match after.cmp(&before) {
        Ordering::Greater => ("+", Role::More),
        Ordering::Less => ("-", Role::Less),
        Ordering::Equal => return None,
    };
    Some((format!("{sign}{}", brief_size(after.abs_diff(before), cx.units).trim_start()), role))
}

/// Returns text such as `+1.2G in 3 days`: the result of [`total_growth`] and the age of the baseline.
pub fn growth_text(cx: &Context<'_>) -> Option<String> {
    let since = cx.views.unused_baseline()?.since?;
    let (change, _) = total_growth(cx)?;
    Some(format!("{change} in {}", elapsed(since, cx.views.now())))
}
