//! Data for the overview: types, ages, largest files and directories, cleanup candidates and errors, from one walk.

use std::io;

use crate::analysis::ages::{self, Ages};
use crate::analysis::cleanup::{CandidateList, Candidates};
use crate::analysis::directories::{self, Directories};
use crate::analysis::errors::{Errors, FailedEntries};
use crate::analysis::largest;
use crate::analysis::parallel_walk::{Collector, Mode, WalkEntry, parallel_walk};
use crate::analysis::search::{Request, SearchResult};
use crate::analysis::types::{self, TypeTotals};
use crate::base::job::{Job, Pool};
use crate::base::sync::Arc;
use crate::tree::{DirId, Totals};

/// Totals of a subtree by type and by age.
#[derive(Clone, Debug)]
pub struct Breakdown {
    pub types: Arc<TypeTotals>,
    pub ages: Arc<Ages>,
}

/// Statistics that the overview shows.
#[derive(Clone, Debug)]
pub struct Overview {
    pub breakdown: Breakdown,
    pub files: Arc<SearchResult>,
    /// Largest directories, measured by the files directly in them.
    pub directories: Arc<Directories>,
    pub candidates: Arc<CandidateList>,
    /// Read errors, grouped by reason.
    pub errors: Arc<Errors>,
}

/// Adds up the sizes of the entries that match the query, for each type and for each age. `now` is in seconds since
/// 1970.
///
/// # Errors
/// Returns an error if no thread can be started.
pub fn breakdown(pool: &Pool, request: Request, now: i64) -> io::Result<Job<Breakdown>> {
    pool.start(move |task| {
        let both = (types::TypeCounts::default(), ages::AgeCounts::new(now));
        parallel_walk(&request, Mode::Filter, task, both, |(types, ages), progress| {
            let types = Arc::new(types.typed(request.order, progress));
            Some(Breakdown { types, ages: Arc::new(ages.ages(request.order, progress)) })
        });
    })
}

/// Computes the statistics of the overview from the entries selected by the query. `most` limits the number of files
/// and the number of directories.
///
/// # Errors
/// Returns an error if no thread can be started.
pub fn overview(pool: &Pool, request: Request, now: i64, most: usize) -> io::Result<Job<Overview>> {
    pool.start(move |task| {
        let order = request.order;
        let files = largest::LargestFiles::new(&request.tree, order, most);
        let large = NoDirectories((files, directories::OwnSizes::default()));
        let totals = (types::TypeCounts::default(), ages::AgeCounts::new(now));
        let others = (Candidates::new(), FailedEntries::default());
        parallel_walk(&request, Mode::Filter, task, (large, (totals, others)), |all, progress| {
            let (NoDirectories((files, directories)), ((types, ages), (candidates, failed))) = all;
            let breakdown = Breakdown {
                types: Arc::new(types.typed(order, progress)),
                ages: Arc::new(ages.ages(order, progress)),
            };
            Some(Overview {
                breakdown,
                files: Arc::new(files.found(progress)),
                directories: Arc::new(directories.directories(&request, most, progress)),
                candidates: Arc::new(candidates.list(&request.tree, progress)),
                errors: Arc::new(failed.errors(&request, progress)),
            })
        });
    })
}

/// Wrapper that passes all entries except directories to a collector.
struct NoDirectories<T>(T);

impl<T: Collector> Collector for NoDirectories<T> {
    fn fresh(&self) -> Self {
        Self(self.0.fresh())
    }

    fn enter(&mut self, directory: DirId, own: Option<&Totals>) {
        self.0.enter(directory, own);
    }

    fn visit(&mut self, entry: &WalkEntry<'_>) {
        if entry.record.directory().is_none() {
            self.0.visit(entry);
        }
    }

    fn merge(&mut self, other: Self) {
        self.0.merge(other.0);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::analysis::fixture::{directory, file, finish, pool, request, tree};
    use crate::analysis::survey;

    #[test]
    fn one_walk_finds_the_results_of_all_surveys() {
        let items = [
            directory("a"),
            file("a/x.mkv", 40_960).linked(7, 2),
            file("a/y.mkv", 40_960).linked(7, 2),
            directory("b"),
            directory("b/node_modules"),
            file("b/package.json", 100),
            file("b/node_modules/z.js", 8192),
            file("c", 4096),
        ];
        let (tree, now, pool) = (tree(&items), 1_000_000_000, pool());
        let asked = || request(&tree, "");
        let all = finish(overview(&pool, asked(), now, 10));
        let files = finish(survey::largest(&pool, asked(), 10));
        assert_eq!(
            (&all.files.rows, all.files.matched, all.files.sum),
            (&files.rows, files.matched, files.sum)
        );
        let directories = finish(directories::directories(&pool, asked(), 10));
        assert_eq!((&all.directories.rows, all.directories.sum), (&directories.rows, directories.sum));
        let types = finish(survey::types(&pool, asked()));
        assert_eq!((&all.breakdown.types.types, all.breakdown.types.total), (&types.types, types.total));
        let ages = finish(survey::ages(&pool, asked(), now));
        assert_eq!(all.breakdown.ages.rows, ages.rows);
        assert_eq!(all.candidates.rows, finish(crate::analysis::cleanup::find(&pool, asked())).rows);
        assert_eq!(all.errors.groups, finish(survey::errors(&pool, asked())).groups);
        let both = finish(breakdown(&pool, asked(), now));
        assert_eq!((&both.types.types, both.ages.rows), (&types.types, ages.rows));
    }
}
