//! Panes beside the view in a wide window: the parent directory on the left, and the preview or a page about
//! entries on the right.

use ratatui::layout::Rect;

use super::Context;
use crate::table::rows::SizeSource;
use crate::tree::{DirId, Tree};
use crate::ui::layout::{Layout, layout};
use crate::ui::list_state::{ListState, SavedCursor};
use crate::ui::marks::Marks;
use crate::ui::notice::Notice;
use crate::ui::options::Panes;
use crate::ui::view_state::BaseView;
use crate::ui::views::RowMarks;
use crate::ui::window::Window;

/// Minimum screen width for the right pane.
const WIDE: u16 = 140;
/// Minimum screen width for the left pane, which shows the parent directory.
const VERY_WIDE: u16 = 180;

/// Areas of the view and of the panes beside it.
#[derive(Clone, Copy, Debug)]
pub struct PaneLayout {
    pub view: Layout,
    pub right: Option<Rect>,
    pub left: Option<Rect>,
}

#[derive(Debug)]
pub struct ParentList<'t> {
    list: ListState<'t>,
    pub window: Window,
}

/// Returns the area of a pane without its margins and without the line at its left edge.
pub fn beside_edge(pane: Rect) -> Rect {
    Rect { x: pane.x + 2, width: pane.width.saturating_sub(3), ..pane }
}

impl<'t> Context<'t> {
    pub fn regions(&self, size: (u16, u16)) -> PaneLayout {
        let mut view = layout(size);
        let table = self.table();
        let is_list = table.map_or(self.views.base == BaseView::List, |view| {
            matches!(view.spec.marks, RowMarks::Entries | RowMarks::Files)
        });
        // The list of several roots has no parent directory.
        let has_parent = table.is_none()
            && self.panes == Panes::Both
            && self.location.id != DirId::TOP
            && size.0 >= VERY_WIDE;
        if size.0 < WIDE || self.panes == Panes::None || !is_list {
            return PaneLayout { view, right: None, left: None };
        }
        let start = if has_parent { size.0 / 5 } else { 0 };
        let width = (size.0 - start) / 2;
        let pane = Rect { y: view.titles.y, height: view.list.bottom() - view.titles.y, ..view.list };
        for region in [&mut view.list, &mut view.titles] {
            *region = Rect { x: start, width, ..*region };
        }
        let right = Rect { x: start + width, width: size.0 - start - width, ..pane };
        let left = has_parent.then_some(Rect { x: 0, width: start, ..view.list });
        PaneLayout { view, right: Some(right), left }
    }

    /// Returns the title area and the line area of a page: in the right pane or, without one, in place of the view.
    pub fn page_regions(&self, size: (u16, u16)) -> (Rect, Rect) {
        match self.regions(size) {
            PaneLayout { right: Some(pane), .. } => {
                let pane = beside_edge(pane);
                let (title, lines) = (pane.height.min(1), pane.height.saturating_sub(1));
                (Rect { height: title, ..pane }, Rect { y: pane.y + title, height: lines, ..pane })
            }
            PaneLayout { view, .. } => (view.header, view.list),
        }
    }

    pub fn next_panes(&mut self) {
        if self.size.0 < WIDE {
            self.notify(Notice::TooNarrow(WIDE));
            return;
        }
        self.panes = match self.panes {
            Panes::Preview if self.size.0 >= VERY_WIDE => Panes::Both,
            Panes::Preview | Panes::Both => Panes::None,
            Panes::None => Panes::Preview,
        };
    }

    /// Collects the visible rows of the parent directory, if its pane is shown. If the shown directory is the only
    /// root, the only row in the pane is the root itself.
    pub fn collect_parent(&mut self) {
        let Some(pane) = self.regions(self.size).left else {
            self.parent_list = None;
            return;
        };
        let id = self.above_shown().unwrap_or(DirId::TOP);
        let (lines, sizes) = (usize::from(pane.height), self.sizes());
        let old = self.parent_list.take().filter(|parent| parent.list.id == id);
        let Some(list) = old.map(|parent| parent.list).or_else(|| self.parent_rows(id, &sizes, lines)) else {
            return;
        };
        let options = (self.order, self.shown, self.units);
        let window = Window::new(self.tree, &sizes, &list, &Marks::default(), options, lines);
        self.parent_list = Some(ParentList { list, window });
    }

    /// Returns the rows of directory `id`. The cursor is on the child that is the shown directory or contains it.
    /// Returns `None` if there are too many rows to sort synchronously.
    fn parent_rows(&self, id: DirId, sizes: &SizeSource, lines: usize) -> Option<ListState<'t>> {
        let tree: &'t Tree = self.tree;
        let child = tree.ancestry(self.location.id).find(|child| tree.parent(*child) == Some(id))?;
        if ListState::new(id, SavedCursor::default()).is_large(tree) {
            return None;
        }
        let (position, record) =
            tree.listing(id).entries().find(|(_, record)| record.directory() == Some(child))?;
        let mut list =
            ListState::enter(tree, sizes, id, self.order, SavedCursor::at(position, record.name), lines);
        list.show_cursor(lines);
        Some(list)
    }
}
