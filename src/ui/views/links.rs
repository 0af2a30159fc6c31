//! Hard-link view: one row per inode that has several names.
//!
//! ```text
//!       Disk▾  Share                Names   Path
//!     1.6 GiB  84.3% ████████▍          2   music/song.flac  3 names: 2 here, the others were not scanned
//! ```
//!
//! Enter lists the names of the inode. Marking a row marks all of its names.

use super::largest::path_below;
use super::search;
use super::table::{
    Needs, RowMarks, SUMS, TableContext, TableData, TableSpec, TableSummary, Target, ViewSpec, row_of_sum,
    rows,
};
use crate::analysis::links::LinkedInode;
use crate::analysis::rows::larger;
use crate::analysis::survey::{self, HardLinks};
use crate::base::format::grouped;
use crate::table::column::Column as C;
use crate::table::row::{Row, RowNote};
use crate::tree::{DirId, EntryId, Totals, Tree};

pub static VIEW: ViewSpec = ViewSpec {
    name: "links",
    key: '6',
    tab: ["Hard links", "Links", "Links"],
    help: "hard links",
    title: "hard links",
    needs: Needs::Nothing,
    table: Some(&TABLE),
};

pub static TABLE: TableSpec = TableSpec {
    rows: "Hard links",
    sortable: &[(C::Size, "size"), (C::Items, "number of names")],
    titles: &[(C::Name, "Path"), (C::Items, "Names")],
    marks: RowMarks::Entries,
    empty: ["No hard links", "No hard links so far"],
    start: |sources, request| rows(survey::links(sources.pool, sources.request(request))),
    ..SUMS
};

/// Title of the list of the names of an inode.
const NAMES: &str = "names of one file";

/// Returns a note if the inode has names outside the searched directory.
fn note(inode: &LinkedInode) -> Option<String> {
    let LinkedInode { inside, count, elsewhere, .. } = *inode;
    match (inode.is_shared(), elsewhere) {
        (false, _) => None,
        (true, 0) => {
            Some(format!("{} names: {} here, the others were not scanned", grouped(count), grouped(inside)))
        }
        (true, _) => {
            let [inside, count, elsewhere] = [inside, count, elsewhere].map(grouped);
            Some(format!("{count} names: {inside} here, {elsewhere} elsewhere in the scan"))
        }
    }
}

impl TableData for HardLinks {
    fn summary(&self) -> TableSummary {
        let mut sum = self.alone;
        sum.add(&self.shared);
        TableSummary {
            sum: Some(sum),
            matched: self.inodes.iter().map(|inode| inode.inside).sum(),
            searched: self.searched,
            largest: self.inodes.iter().fold(Totals::default(), |most, inode| larger(most, &totals(inode))),
            is_complete: self.complete,
            ..TableSummary::default()
        }
    }

    fn rows(&self, _columns: usize) -> usize {
        self.inodes.len()
    }

    fn row(&self, index: usize, context: &TableContext<'_>) -> Option<Row> {
        let inode = self.inodes.get(index)?;
        let label = first_name(context.tree, context.from, self, inode)?;
        let sum = row_of_sum(label, &totals(inode), context.measure);
        Some(Row { note: note(inode).map(RowNote::plain), ..sum })
    }

    fn target(&self, index: usize) -> Option<Target> {
        let query = self.inodes.get(index)?.query();
        Some(Target::Files { label: NAMES.to_owned(), table: &search::TABLE, query })
    }

    fn entries(&self, index: usize) -> Vec<EntryId> {
        let names = self.inodes.get(index).map(|inode| self.names(inode)).unwrap_or_default();
        names.iter().map(|row| row.entry).collect()
    }
}

fn totals(inode: &LinkedInode) -> Totals {
    let LinkedInode { disk, apparent, inside: items, .. } = *inode;
    Totals { disk, apparent, items, errors: 0 }
}

fn first_name(tree: &Tree, from: DirId, links: &HardLinks, inode: &LinkedInode) -> Option<String> {
    let row = links.names(inode).first()?;
    Some(path_below(tree, from, row.entry.directory, row.entry.record(tree)?.name))
}
