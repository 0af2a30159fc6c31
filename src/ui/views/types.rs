//! Type view of a subtree: one row per category of files, each followed by one row per extension.
//!
//! ```text
//!       Disk▾  Share                Items   Type
//!     1.6 GiB  84.3% ████████▍         12   audio
//!     1.5 GiB  80.1% ████████           2     .flac
//! ```
//!
//! Entries other than files have one row per kind. Enter shows the entries of a row. Many extensions without a
//! category share one row; Enter lists them.

use super::table::{
    Needs, SUMS, TableAnswer, TableContext, TableData, TableSpec, TableSummary, Target, ViewSpec, larger,
    row_of_sum,
};
use super::{largest, search};
use crate::analysis::search::{Category, Query};
use crate::analysis::survey::{self, Type, TypeTotals};
use crate::analysis::types::category_query;
use crate::base::kind::Kind;
use crate::base::text::escape;
use crate::table::column::Column as C;
use crate::table::row::{Row, RowStyle};
use crate::tree::Totals;
use crate::ui::loader::Load;

/// Description of the view.
pub static VIEW: ViewSpec = ViewSpec {
    name: "types",
    key: '3',
    tab: ["File types", "Types"],
    help: "file types",
    title: "types",
    needs: Needs::Nothing,
    table: Some(&TABLE),
};

/// Table of the types.
pub static TABLE: TableSpec = TableSpec {
    rows: "Types",
    sortable: &[(C::Size, "size"), (C::Name, "name"), (C::Items, "items")],
    titles: &[(C::Name, "Type")],
    start: |sources, request| {
        let job = survey::types(sources.pool, sources.request(request))?;
        Ok(Some(Load::of(job, |typed| Ok(TableAnswer::new(TypeRows::new(&typed))))))
    },
    ..SUMS
};

/// Maximum number of uncategorized extensions that get their own rows. More would crowd out the rest of the
/// view.
const MOST_OTHERS: usize = 5;

/// Rows, in the order in which they are shown.
#[derive(Debug)]
struct TypeRows {
    rows: Vec<TypeRow>,
    summary: TableSummary,
}

/// Row for a category, an extension or a kind.
#[derive(Debug)]
struct TypeRow {
    label: String,
    /// Title of the view that Enter opens.
    title: String,
    style: RowStyle,
    totals: Totals,
    table: &'static TableSpec,
    query: Query,
}

impl TypeRows {
    /// Arranges the rows: each category followed by its types, then the files without a category, then the
    /// kinds.
    fn new(typed: &TypeTotals) -> Self {
        let others = typed.types.iter().filter(|(of, _)| of.class() == Some(Category::Other)).count();
        // Many uncategorized extensions become one row, unless there is nothing else to show.
        let is_collapsed = others > MOST_OTHERS && others < typed.types.len();
        let of_category =
            |class: Option<Category>| typed.types.iter().filter(move |(of, _)| of.class() == class);
        let is_other = |(class, _): &&(Category, Totals)| *class == Category::Other;
        let known = typed.classes.iter().filter(|row| !is_other(row));
        let mut rows = Vec::with_capacity(typed.classes.len() + typed.types.len());
        for (class, totals) in known.chain(typed.classes.iter().filter(is_other)) {
            let kinds = (*class == Category::Other && is_collapsed).then_some(others);
            rows.push(TypeRow::of_category(*class, *totals, kinds));
            if kinds.is_none() {
                rows.extend(of_category(Some(*class)).map(|(of, totals)| TypeRow::of_type(*of, *totals)));
            }
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
    /// Returns the row of a category. `kinds` is the number of extensions that the row stands for, if it stands
    /// for several.
    fn of_category(class: Category, totals: Totals, kinds: Option<usize>) -> Self {
        let title = class.name().replace('-', " ");
        let label = kinds.map_or_else(|| title.clone(), |kinds| format!("{title} ({kinds} types)"));
        let table = if kinds.is_some() { &TABLE } else { &largest::TABLE };
        Self { label, title, style: RowStyle::Strong, totals, table, query: category_query(class) }
    }

    fn of_type(of: Type, totals: Totals) -> Self {
        let title = name(of);
        let label = if of.class().is_some() { format!("  {title}") } else { title.clone() };
        // The table of the largest files contains no directories; a search finds them.
        let is_directory = of == Type::Kind(Kind::Directory);
        let table = if is_directory { &search::TABLE } else { &largest::TABLE };
        Self { label, title, style: RowStyle::Plain, totals, table, query: of.query() }
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
        let TypeRow { label, style, totals, .. } = self.rows.get(index)?;
        Some(Row { style: *style, ..row_of_sum(label.clone(), totals, context.measure) })
    }

    fn target(&self, index: usize) -> Option<Target> {
        let TypeRow { title, table, query, .. } = self.rows.get(index)?;
        Some(Target::Files { label: title.clone(), table, query: query.clone() })
    }
}

fn name(of: Type) -> String {
    match of {
        Type::Extension(extension) => format!(".{}", escape(extension.as_bytes())),
        Type::NoExtension => "no extension".to_owned(),
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::analysis::search::Extension;

    /// Returns totals with `others` uncategorized extensions; if `has_more`, also with a video and the
    /// directories.
    fn typed(others: usize, has_more: bool) -> TypeTotals {
        let extension = |name: String| Type::Extension(Extension::of(name.as_bytes()).unwrap());
        let mut types: Vec<Type> = (0..others).map(|number| extension(format!("a.xyz{number}"))).collect();
        let mut classes = vec![Category::Other];
        if has_more {
            types.extend([extension("a.mkv".to_owned()), Type::Kind(Kind::Directory)]);
            classes.push(Category::Video);
        }
        let totals = Totals::default();
        TypeTotals {
            types: types.into_iter().map(|of| (of, totals)).collect(),
            classes: classes.into_iter().map(|class| (class, totals)).collect(),
            ..TypeTotals::default()
        }
    }

    fn labels(typed: &TypeTotals) -> Vec<String> {
        TypeRows::new(typed).rows.into_iter().map(|row| row.label).collect()
    }

    #[test]
    fn many_extensions_without_a_category_are_one_row() {
        let many = typed(33, true);
        assert_eq!(labels(&many), ["video", "  .mkv", "other (33 types)", "directories themselves"]);
        assert!(TypeRows::new(&many).target(4).is_none());
        let Some(Target::Files { label, table, .. }) = TypeRows::new(&many).target(2) else {
            panic!("it leads nowhere")
        };
        assert_eq!((label.as_str(), table), ("other", &TABLE));
        // The view that opens contains only the uncategorized extensions.
        let alone = typed(33, false);
        assert_eq!(labels(&alone).len(), 34);
        assert_eq!(labels(&alone)[..2], ["other", "  .xyz0"]);
        let target = TypeRows::new(&alone).target(0);
        assert!(matches!(target, Some(Target::Files { table, .. }) if *table == largest::TABLE));
        assert_eq!(labels(&typed(5, true)).len(), 9, "few are no hindrance");
    }
}
