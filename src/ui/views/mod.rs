//! Views of a whole subtree. Each file contains the table of a view, its rows, and the targets that Enter opens.
//!
//! A view is a [`ViewSpec`] (its key and texts), a [`TableSpec`] (its columns, sort orders and messages, and the job
//! that finds its rows) and a [`TableData`] (the rows). State that all views share, such as the cursor, is in
//! [`super::table_view`]. The key table, help page, status line, header and docs/keys.md are derived from [`VIEWS`].

pub mod ages;
pub mod cleanup;
pub mod df;
pub mod directories;
pub mod duplicates;
pub mod errors;
pub mod growth;
pub mod largest;
pub mod links;
pub mod recorded;
pub mod search;
pub mod subvolumes;
pub mod table;
pub mod types;

pub use table::{
    Branch, Copies, Needs, RowMarks, TableAnswer, TableContext, TableData, TableLayout, TableSpec,
    TableSummary, Target, ViewSpec,
};

/// All views, in the order of the help page.
pub static VIEWS: &[&ViewSpec] = &[
    &OVERVIEW,
    &LIST,
    &largest::VIEW,
    &directories::VIEW,
    &types::VIEW,
    &ages::VIEW,
    &TREEMAP,
    &links::VIEW,
    &errors::VIEW,
    &growth::VIEW,
    &cleanup::VIEW,
    &duplicates::VIEW,
    &df::VIEW,
];

/// Index of [`LIST`] in [`VIEWS`]. The key of the list view also works on pages, such as the list of marks: the key
/// closes the page and shows the list view.
pub const LIST_INDEX: usize = 1;

pub static LIST: ViewSpec = ViewSpec {
    name: "list",
    key: '1',
    tab: ["List"; 3],
    help: "list",
    title: "",
    needs: Needs::Nothing,
    table: None,
};

pub static OVERVIEW: ViewSpec = ViewSpec {
    name: "overview",
    key: '`',
    tab: ["Overview", "Overview", "Over"],
    help: "overview",
    title: "",
    needs: Needs::Nothing,
    table: None,
};

pub static TREEMAP: ViewSpec = ViewSpec {
    name: "treemap",
    key: '5',
    tab: ["Treemap", "Map", "Map"],
    help: "treemap",
    title: "",
    needs: Needs::Nothing,
    table: None,
};
