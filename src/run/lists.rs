//! The flags `--min-size`, `--top` and `--by` of a run without the browser.
//!
//! With `--min-size`, smaller entries below the roots and smaller rows of lists are not printed. `--top` and `--by`
//! print lists that are computed from the whole tree. The same jobs compute the lists in the browser's views, but a run
//! without the browser waits for the result.
//!
//! Invariant: the order of rows does not depend on thread timing.

use std::io;
use std::time::Duration;

use crate::analysis::search::{Category, Order, Query, Request};
use crate::analysis::survey;
use crate::analysis::survey::Age;
use crate::analysis::types::Type;
use crate::base::format::Measure;
use crate::base::job::{Job, Pool};
use crate::base::sync::Arc;
use crate::output::json::{GroupTotal, GroupTotals, LargeFile, Summary};
use crate::platform::process::limits::processors;
use crate::tree::{DirId, EntryState, Tree};

/// Selection of the entries and lists to print.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Selection {
    /// Minimum size in bytes. Smaller entries below the roots and smaller rows of lists are not printed.
    pub least: u64,
    /// Number of files to list, largest first.
    pub top: Option<usize>,
    /// Groupings for which totals are printed.
    pub by: Vec<Grouping>,
    /// `true` if the bytes freed by deleting each entry are also printed.
    pub frees: bool,
}

/// Grouping of totals.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Grouping {
    /// Extension of regular files, and kind of all other entries.
    Type,
    /// Time since the last change.
    Age,
    /// User who owns an entry.
    Owner,
    StorageClass,
}

impl Selection {
    /// Returns `true` if `--top` or `--by` requests a list.
    pub fn has_lists(&self) -> bool {
        self.top.is_some() || !self.by.is_empty()
    }

    /// Computes the lists that `--top` and `--by` request. `measure` determines which files are the largest.
    ///
    /// # Errors
    /// Returns an error if no thread can be started.
    pub(crate) fn lists(&self, tree: &Arc<Tree>, measure: Measure) -> io::Result<Summary> {
        let mut summary = Summary::default();
        if !self.has_lists() {
            return Ok(summary);
        }
        let pool = Pool::new(processors())?;
        let all = || Request {
            tree: Arc::clone(tree),
            from: DirId::TOP,
            query: Query::default(),
            order: Order { by: measure.into(), reversed: false },
        };
        if let Some(top) = self.top {
            let exclusive = tree.exclusive();
            let found = finish(&survey::largest(&pool, all(), top)?)?;
            let large = |row: &crate::analysis::search::Row| {
                let record = row.entry.record(tree)?;
                let EntryState::Known(metadata) = record.state else { return None };
                let exclusive = exclusive.as_ref().and_then(|sizes| sizes.of(row.entry.directory, &metadata));
                (measure.of(metadata.disk(), metadata.apparent) >= self.least).then_some(LargeFile {
                    exclusive,
                    path: row.entry.path(tree)?,
                    kind: record.kind,
                    metadata,
                })
            };
            summary.largest = Some(found.rows.iter().filter_map(large).collect());
        }
        for by in &self.by {
            let mut sums = sums(*by, &pool, all())?;
            let size = |row: &GroupTotal| measure.of(row.totals.disk, row.totals.apparent);
            sums.rows.retain(|row| size(row) >= self.least);
            summary.sums.push(sums);
        }
        Ok(summary)
    }
}

fn sums(by: Grouping, pool: &Pool, request: Request) -> io::Result<GroupTotals> {
    Ok(match by {
        Grouping::Type => {
            let typed = finish(&survey::types(pool, request)?)?;
            let row =
                |(of, totals): &(Type, _)| GroupTotal { name: type_name(of), uid: None, totals: *totals };
            GroupTotals { by: "type", rows: typed.types.iter().map(row).collect() }
        }
        Grouping::Age => {
            let ages = finish(&survey::ages(pool, request, crate::base::clock::now())?)?;
            let row =
                |(age, totals): (&Age, _)| GroupTotal { name: age.text().to_owned(), uid: None, totals };
            GroupTotals { by: "age", rows: Age::ALL.iter().zip(ages.rows).map(row).collect() }
        }
        Grouping::Owner => {
            let owners = finish(&survey::owners(pool, request)?)?;
            let name = |uid: Option<u32>| uid.map_or_else(|| "unknown".to_owned(), |uid| uid.to_string());
            let row = |(uid, totals): &(Option<u32>, _)| GroupTotal {
                name: name(*uid),
                uid: *uid,
                totals: *totals,
            };
            GroupTotals { by: "owner", rows: owners.rows.iter().map(row).collect() }
        }
        Grouping::StorageClass => {
            let tree = Arc::clone(&request.tree);
            let classes = finish(&survey::storage_classes(pool, request)?)?;
            let name = |class: Option<_>| {
                class.map_or_else(|| "none".to_owned(), |class| tree.storage_classes().name(class))
            };
            let row = |(class, totals): &(Option<_>, _)| GroupTotal {
                name: name(*class),
                uid: None,
                totals: *totals,
            };
            GroupTotals { by: "class", rows: classes.rows.iter().map(row).collect() }
        }
    })
}

/// Waits until a job has ended, and returns its result.
fn finish<T>(job: &Job<T>) -> io::Result<Arc<T>> {
    while job.wait(Duration::from_secs(1)).is_none() {}
    job.latest().ok_or_else(|| io::Error::other("internal error: search ended early"))
}

fn type_name(of: &Type) -> String {
    let (name, usual, category) = match of {
        Type::Extension(extension, category) => {
            let name = format!("{}{}", extension.dot(), String::from_utf8_lossy(extension.as_bytes()));
            (name, Category::of_extension(*extension), *category)
        }
        Type::NoExtension(category) => ("no extension".to_owned(), Category::Other, *category),
        Type::Kind(kind) => return kind.name().to_owned(),
    };
    if category == usual { name } else { format!("{name} ({})", category.name()) }
}
