//! `--top`, `--by`, `--min-size`: what of a tree is wanted, and the lists that need a look at all of it.
//!
//! The lists are those of the browser's views; here they are waited for.
//!
//! Invariant: rows come in an order that does not depend on threads.

use std::io::{self, BufWriter, Write};
use std::time::Duration;

use jiff::Timestamp;

use crate::job::{Job, Pool};
use crate::json::{Large, Sum, Summary, Sums};
use crate::platform::limits::processors;
use crate::platform::people;
use crate::search::{Order, Query, Request};
use crate::size::{Measure, Units, count, percent, share, size};
use crate::source::Nature;
use crate::survey::{self, Age, types::Type};
use crate::sync::Arc;
use crate::text::escape;
use crate::tree::{Content, DirId, Totals, Tree};

/// What of a tree is wanted.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Selection {
    /// Entries that take fewer bytes of the disk have no line of their own.
    pub least: u64,
    /// So many of the largest files.
    pub top: Option<usize>,
    /// Sums by these.
    pub by: Vec<By>,
}

/// What sums can be by.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum By {
    /// Extensions, and kinds of what is no file.
    Type,
    /// Time of last change.
    Age,
    /// User.
    Owner,
}

impl Selection {
    /// Whether lists take the place of the tree.
    pub fn has_lists(&self) -> bool {
        self.top.is_some() || !self.by.is_empty()
    }

    /// The lists, of the largest by this size.
    ///
    /// # Errors
    /// When there can be no thread to make them.
    pub(super) fn lists(&self, tree: &Arc<Tree>, measure: Measure) -> io::Result<Summary> {
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
            let rows = finish(&survey::largest(&pool, all(), top)?)?;
            let large = |row: &crate::search::Row| {
                let record = row.record(tree)?;
                let Content::Known(facts) = record.content else { return None };
                (measure.of(facts.disk(), facts.apparent) >= self.least).then_some(Large {
                    path: row.path(tree)?,
                    kind: record.kind,
                    facts,
                })
            };
            summary.largest = Some(rows.iter().filter_map(large).collect());
        }
        for by in &self.by {
            let mut sums = sums(*by, &pool, all())?;
            let size = |row: &Sum| measure.of(row.totals.disk, row.totals.apparent);
            sums.rows.retain(|row| size(row) >= self.least);
            summary.sums.push(sums);
        }
        Ok(summary)
    }
}

fn sums(by: By, pool: &Pool, request: Request) -> io::Result<Sums> {
    Ok(match by {
        By::Type => {
            let typed = finish(&survey::types(pool, request)?)?;
            let row = |(of, totals): &(Type, _)| Sum { name: type_name(of), uid: None, totals: *totals };
            Sums { by: "type", rows: typed.types.iter().map(row).collect() }
        }
        By::Age => {
            let ages = finish(&survey::ages(pool, request, Timestamp::now().as_second())?)?;
            let row = |(age, totals): (&Age, _)| Sum { name: age.words().to_owned(), uid: None, totals };
            Sums { by: "age", rows: Age::ALL.iter().zip(ages.rows).map(row).collect() }
        }
        By::Owner => {
            let owners = finish(&survey::owners(pool, request)?)?;
            let name = |uid: Option<u32>| uid.map_or_else(|| "unknown".to_owned(), |uid| uid.to_string());
            let row = |(uid, totals): &(Option<u32>, _)| Sum { name: name(*uid), uid: *uid, totals: *totals };
            Sums { by: "owner", rows: owners.owners.iter().map(row).collect() }
        }
    })
}

/// What a job has found in the end.
fn finish<T>(job: &Job<T>) -> io::Result<Arc<T>> {
    while job.wait(Duration::from_secs(1)).is_none() {}
    job.latest().ok_or_else(|| io::Error::other("a bug ended the search early"))
}

fn type_name(of: &Type) -> String {
    match of {
        Type::Extension(extension) => format!(".{}", String::from_utf8_lossy(extension.as_bytes())),
        Type::NoExtension => "no extension".to_owned(),
        Type::Kind(kind) => kind.name().to_owned(),
    }
}

/// Prints the lists for a person. Owners have names where the files are of this machine.
pub(super) fn print(
    summary: &Summary,
    nature: Nature,
    whole: &Totals,
    (measure, units): (Measure, Units),
    out: &mut dyn Write,
) -> io::Result<()> {
    let whole = measure.of(whole.disk, whole.apparent);
    let mut out = BufWriter::new(out);
    for file in summary.largest.iter().flatten() {
        let own = measure.of(file.facts.disk(), file.facts.apparent);
        writeln!(out, "{}  {}  {}", size(own, units), percent(share(own, whole)), escape(&file.path))?;
    }
    let mut is_first = summary.largest.is_none();
    for sums in &summary.sums {
        if !std::mem::replace(&mut is_first, false) {
            writeln!(out)?;
        }
        for Sum { name, uid, totals } in &sums.rows {
            let own = measure.of(totals.disk, totals.apparent);
            let (size, percent) = (size(own, units), percent(share(own, whole)));
            let person = uid.filter(|_| nature == Nature::Live).and_then(people::user);
            let name = person.as_ref().unwrap_or(name);
            writeln!(out, "{size}  {percent}  {}  {}", count(totals.items), escape(name.as_bytes()))?;
        }
    }
    out.flush()
}
