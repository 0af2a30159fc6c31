//! Type view: the files below a directory, grouped by category, with one row per extension.
//!
//! ```text
//!       Disk▾  Share                Items   Type
//!     1.6 GiB  84.3% ████████▍         12   ▾ audio
//!     1.6 GiB  84.3% ████████▍         12       all files
//!     1.5 GiB  80.1% ████████           2       .flac
//! ```
//!
//! Entries that are not files have one row per kind. Enter unfolds a category; on any other row, it lists the
//! entries.

use super::table::{
    Branch, Needs, RowMarks, SUMS, TableAnswer, TableContext, TableData, TableSpec, TableSummary, Target,
    ViewSpec, row_of_sum,
};
use super::{largest, search};
use crate::analysis::rows::larger;
use crate::analysis::search::{Category, Query};
use crate::analysis::survey::{self, Type, TypeTotals};
use crate::analysis::types::category_query;
use crate::base::kind::Kind;
use crate::base::text::escape;
use crate::table::column::Column as C;
use crate::table::row::{Row, RowStyle};
use crate::tree::Totals;
use crate::ui::loader::Load;
use crate::ui::theme::Role;

pub static VIEW: ViewSpec = ViewSpec {
    name: "types",
    key: '3',
    tab: ["File types", "Types", "Types"],
    help: "file types",
    title: "types",
    needs: Needs::Nothing,
    table: Some(&TABLE),
};

pub static TABLE: TableSpec = TableSpec {
    rows: "Types",
    sortable: &[(C::Size, "size"), (C::Name, "name"), (C::Items, "items")],
    titles: &[(C::Name, "Type")],
    start: |sources, request| {
        let job = survey::types(sources.pool, sources.request(request))?;
        Ok(Some(Load::of(job, |typed| Ok(TableAnswer::new(TypeRows::new(&typed))))))
    },
    marks: RowMarks::Files,
    ..SUMS
};

/// Label of the row for all files of a category.
const ALL_FILES: &str = "all files";

fn name(of: Type) -> String {
    match of {
        Type::Extension(extension, _) => format!("{}{}", extension.dot(), escape(extension.as_bytes())),
        Type::NoExtension(_) => "no extension".to_owned(),
        Type::Kind(kind) => kind_name(kind).to_owned(),
    }
}

fn kind_name(kind: Kind) -> &'static str {
    match kind {
        Kind::Directory => "directories themselves",
        Kind::File => "files",
        Kind::Symlink => "symbolic links",
        Kind::Fifo => "pipes",
        Kind::Socket => "sockets",
        Kind::BlockDevice => "block devices",
        Kind::CharDevice => "character devices",
        Kind::Unknown => "unknown",
    }
}

fn category_name(class: Category) -> String {
    class.name().replace('-', " ")
}

/// Rows in display order.
#[derive(Debug)]
struct TypeRows {
    rows: Vec<TypeRow>,
    summary: TableSummary,
}

#[derive(Debug)]
struct TypeRow {
    label: String,
    totals: Totals,
    /// Category of the row; `None` if the row shows a kind of entry other than regular files.
    category: Option<Category>,
    /// `true` if this is the main row of a category, which Enter unfolds.
    is_group: bool,
    /// Table and query that list the entries of the row.
    shows: (&'static TableSpec, Query),
}

impl TypeRows {
    /// Creates the rows: each category, followed by its types, and finally the kinds other than regular files.
    fn new(typed: &TypeTotals) -> Self {
        let of_category =
            |class: Option<Category>| typed.types.iter().filter(move |(of, _)| of.class() == class);
        let mut rows = Vec::with_capacity(2 * typed.classes.len() + typed.types.len());
        for (class, totals) in &typed.classes {
            rows.extend(TypeRow::of_category(*class, *totals));
            rows.extend(of_category(Some(*class)).map(|(of, totals)| TypeRow::of_type(*of, *totals)));
        }
        rows.extend(of_category(None).map(|(of, totals)| TypeRow::of_type(*of, *totals)));
        let summary = TableSummary {
            sum: Some(typed.total),
            matched: typed.total.items,
            searched: typed.searched,
            largest: typed.classes.iter().fold(Totals::default(), |most, (_, totals)| larger(most, totals)),
            is_complete: typed.complete,
            ..TableSummary::default()
        };
        Self { rows, summary }
    }
}

impl TypeRow {
    /// Returns the two rows of a category: the main row and the row `all files`. Pressing Enter on the main row unfolds
    /// the category. Pressing Enter on `all files` lists the files.
    fn of_category(class: Category, totals: Totals) -> [Self; 2] {
        let row = |label, is_group| {
            let shows = (&largest::TABLE, category_query(class));
            Self { label, totals, category: Some(class), is_group, shows }
        };
        [row(category_name(class), true), row(ALL_FILES.to_owned(), false)]
    }

    fn of_type(of: Type, totals: Totals) -> Self {
        // Directories are listed as search results, because the view of the largest files omits them.
        let is_directory = of == Type::Kind(Kind::Directory);
        let table = if is_directory { &search::TABLE } else { &largest::TABLE };
        Self { label: name(of), totals, category: of.class(), is_group: false, shows: (table, of.query()) }
    }
}

impl TableData for TypeRows {
    fn summary(&self) -> TableSummary {
        self.summary
    }

    fn rows(&self, _columns: usize) -> usize {
        self.rows.len()
    }

    fn row(&self, index: usize, context: &TableContext<'_>) -> Option<Row> {
        let TypeRow { label, totals, is_group, .. } = self.rows.get(index)?;
        let style = if *is_group { RowStyle::Strong } else { RowStyle::Plain };
        Some(Row { style, ..row_of_sum(label.clone(), totals, context.measure) })
    }

    fn bar_role(&self, index: usize) -> Role {
        self.rows.get(index).and_then(|row| row.category).map_or(Role::Bar, Role::of)
    }

    fn is_tree(&self) -> bool {
        true
    }

    fn branch(&self, index: usize) -> Branch {
        let Some(TypeRow { category, is_group, .. }) = self.rows.get(index) else { return Branch::default() };
        let depth = usize::from(category.is_some() && !is_group);
        Branch { depth, key: category.filter(|_| *is_group).map(|it| it as u64), follows: false }
    }

    fn target(&self, index: usize) -> Option<Target> {
        let TypeRow { label, category, shows: (table, query), .. } = self.rows.get(index)?;
        let of_all = category.filter(|_| label == ALL_FILES).map(category_name);
        Some(Target::Files { label: of_all.unwrap_or(label.clone()), table, query: query.clone() })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::analysis::search::Extension;

    #[test]
    fn a_category_is_followed_by_all_of_its_files_and_by_its_types() {
        let extension = |name: &str| {
            let extension = Extension::of(name.as_bytes()).unwrap();
            Type::Extension(extension, Category::of_extension(extension))
        };
        let totals = Totals::default();
        let types = [extension("a.xyz"), extension("a.mkv"), Type::Kind(Kind::Directory)];
        let counted = TypeTotals {
            types: types.map(|of| (of, totals)).to_vec(),
            classes: [Category::Video, Category::Other].map(|class| (class, totals)).to_vec(),
            ..TypeTotals::default()
        };
        let rows = TypeRows::new(&counted);
        let labels: Vec<&str> = rows.rows.iter().map(|row| row.label.as_str()).collect();
        assert_eq!(
            labels,
            ["video", "all files", ".mkv", "other", "all files", ".xyz", "directories themselves"]
        );
        let branches: Vec<_> = (0..7).map(|row| (rows.branch(row).depth, rows.branch(row).key)).collect();
        let head = |class: Category| (0, Some(class as u64));
        let (video, other) = (head(Category::Video), head(Category::Other));
        assert_eq!(branches, [video, (1, None), (1, None), other, (1, None), (1, None), (0, None)]);
        assert!(rows.target(7).is_none());
        let shown = |row| match rows.target(row) {
            Some(Target::Files { label, table, .. }) => (label, *table == largest::TABLE),
            other => panic!("{other:?}"),
        };
        assert_eq!((shown(0), shown(1)), (("video".to_owned(), true), ("video".to_owned(), true)));
        assert_eq!(shown(2), (".mkv".to_owned(), true));
        assert!(!shown(6).1, "directories are found by a search");
    }
}
