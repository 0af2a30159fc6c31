//! Roots of a scan: the paths given by the user, some of which may lie inside others.
//!
//! All roots are entries of the virtual top, the directory at the top of the tree. A root inside another root becomes
//! an alias: its entry in the virtual top points to the directory in the other root's tree. The scan recognizes such
//! a root by device and inode while it reads the outer root. If the inner root is not found there (excluded, on
//! another file system, unreadable), it is scanned separately afterwards. If `/` is a root and the data volume of
//! macOS is another root, the data volume becomes an alias of `/`, because firmlinks in `/` point to the data volume.
//!
//! Invariant: no directory is read or counted through two roots.

use std::collections::HashSet;
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};

use rayon::Scope;

use super::shared::Shared;
use super::visit::Visitor;
use crate::base::sync::lock;
use crate::platform::{Attributes, Directory, Errno, FIRMLINK_TARGET, FileId, attributes_of_path};
use crate::tree::{Batch, DirId, Entry, EntryState, Links, Metadata};

struct Root<'s> {
    path: &'s Path,
    attributes: Result<Attributes, Errno>,
    /// Directory of the root; `None` if the root is not a directory or its attributes could not be read.
    id: Option<DirId>,
    inside: bool,
    /// `true` for the data volume of macOS if `/` is also a root.
    is_behind_firmlinks: bool,
}

pub(crate) struct Roots<'s> {
    shared: &'s Shared,
    roots: Vec<Root<'s>>,
}

impl<'s> Roots<'s> {
    /// Reads the attributes of every root and publishes the roots as the entries of [`DirId::TOP`].
    pub(crate) fn publish(shared: &'s Shared, paths: &'s [PathBuf], visitor: &Visitor<'_>) -> Self {
        let mut roots: Vec<Root<'s>> = paths
            .iter()
            .map(|path| {
                let attributes = attributes_of_path(path);
                Root { path, attributes, id: None, inside: false, is_behind_firmlinks: false }
            })
            .collect();
        if roots.len() > 1 {
            mark_inside(&mut roots, visitor);
        }
        let mut state = shared.workers.state();
        let batch = &mut state.batch;
        for root in &mut roots {
            match &root.attributes {
                Ok(attributes) if attributes.is_directory() => {
                    let device = shared.tree.devices().index(attributes.device);
                    let name = root.path.as_os_str().as_bytes();
                    let metadata = shared.metadata(attributes, None);
                    root.id = Some(batch.push_directory(&shared.tree, DirId::TOP, name, metadata, device));
                }
                _ => batch.push(DirId::TOP, &root.record(shared, None)),
            }
        }
        if let Some(mut sealed) = batch.seal(&shared.tree, DirId::TOP) {
            // Roots do not count as items.
            sealed.sum.items = 0;
            shared.tree.publish(batch, DirId::TOP, &sealed);
            shared.workers.count_read(&sealed);
        }
        shared.tree.begin(DirId::TOP);
        // Mark the inner roots as being read. Otherwise, an inner root that the user is looking at would be read before
        // its outer root (see `ViewedDirectories`).
        for inner in roots.iter().filter(|root| root.inside).filter_map(|root| root.id) {
            shared.tree.begin(inner);
        }
        Self { shared, roots }
    }

    /// Visits the roots that do not lie inside another root.
    pub(crate) fn visit_outermost<'v: 'j, 'j>(&self, visitor: &'v Visitor<'v>, scope: &Scope<'j>) {
        let outermost = self.roots.iter().filter(|root| !root.inside);
        visitor.visit_each(scope, outermost.filter_map(|root| root.id).collect());
    }

    /// Handles the inner roots, after the outer roots have been read. If the directory of an inner root was found
    /// inside its outer root, the inner root becomes an alias of that directory. Otherwise, visits the inner root.
    pub(crate) fn visit_rest<'v: 'j, 'j>(&self, visitor: &'v Visitor<'v>, scope: &Scope<'j>) {
        if !self.roots.iter().any(|root| root.inside) {
            return;
        }
        let mut known = lock(&visitor.policy.awaited);
        let top = self.roots.iter().find(|root| !root.is_behind_firmlinks && is_at(root.path, "/"));
        let mut targets: Vec<Option<DirId>> = Vec::new();
        for root in &self.roots {
            let target = match (root.identity(), root.id) {
                _ if root.is_behind_firmlinks => top.and_then(|root| root.id),
                (Some(identity), Some(own)) => Some(match known.get(&identity).copied().flatten() {
                    Some(elsewhere) if root.inside => elsewhere,
                    _ => {
                        // Later inner roots with the same file ID become aliases of this root.
                        known.insert(identity, Some(own));
                        own
                    }
                }),
                _ => None,
            };
            targets.push(target);
        }
        drop(known);
        let shared = self.shared;
        let mut batch = Batch::default();
        for (root, target) in self.roots.iter().zip(&targets) {
            batch.push(DirId::TOP, &root.record(shared, *target));
        }
        batch.replace_listing(&shared.tree, DirId::TOP);
        for (root, target) in self.roots.iter().zip(targets) {
            let Some(own) = root.id.filter(|_| root.inside) else { continue };
            if target == Some(own) {
                scope.spawn(move |scope| visitor.enter(scope, own, visitor.shared.open_from_root(own)));
            } else {
                shared.tree.discard(own);
            }
        }
    }
}

impl Root<'_> {
    fn identity(&self) -> Option<FileId> {
        self.attributes.as_ref().ok().filter(|found| found.is_directory()).map(Attributes::file_id)
    }

    /// Returns the entry of this root in the top directory. The entry points to the directory `target`, if any.
    fn record(&self, shared: &Shared, target: Option<DirId>) -> Entry<'_> {
        let name = self.path.as_os_str().as_bytes();
        match &self.attributes {
            Err(errno) => Entry {
                name,
                kind: crate::base::kind::Kind::Unknown,
                state: EntryState::Failed(*errno as i32),
            },
            Ok(attributes) => {
                // A root that is a file may also lie below another root. Recorded like a hard link, it counts once.
                let links = (!attributes.is_directory()).then(|| Links {
                    count: attributes.links,
                    device: shared.tree.devices().index(attributes.device),
                });
                let metadata = shared.metadata(attributes, links);
                let state = EntryState::Known(Metadata { directory: target, ..metadata });
                Entry { name, kind: attributes.kind, state }
            }
        }
    }
}

/// Marks the roots that repeat an earlier root or lie inside another root. Registers them in `awaited`, so that the
/// scan recognizes them when it reaches them. The data volume of macOS is marked, but not registered.
fn mark_inside(roots: &mut [Root<'_>], visitor: &Visitor<'_>) {
    let has_top = FIRMLINK_TARGET.is_some() && roots.iter().any(|root| is_at(root.path, "/"));
    let identities: HashSet<FileId> = roots.iter().filter_map(Root::identity).collect();
    let mut met: HashSet<FileId> = HashSet::new();
    for root in roots {
        let Some(identity) = root.identity() else { continue };
        // The data volume may have the same identity as `/`. If both are roots, the data volume counts as part of `/`,
        // because `/` contains more.
        if has_top && FIRMLINK_TARGET.is_some_and(|target| is_at(root.path, target)) {
            (root.inside, root.is_behind_firmlinks) = (true, true);
            continue;
        }
        root.inside = !met.insert(identity) || is_inside(root.path, identity, &identities);
        if root.inside {
            lock(&visitor.policy.awaited).entry(identity).or_default();
        }
    }
}

/// Returns `true` if `path` resolves to `expected`, which must not contain symbolic links.
fn is_at(path: &Path, expected: &str) -> bool {
    path.canonicalize().is_ok_and(|path| path == Path::new(expected))
}

/// Returns `true` if one of `others` is an ancestor of the directory `path`, or if not all ancestors can be determined.
/// In the second case, `path` may lie inside any other root. The scan therefore reads the other roots first and scans
/// `path` separately only if it is not found in them.
fn is_inside(path: &Path, own: FileId, others: &HashSet<FileId>) -> bool {
    let mut identity = own;
    let climb = |from: Result<Directory, Errno>| {
        let above = from?.step_into(c"..")?;
        let attributes = above.attributes()?;
        Ok::<_, Errno>((above, attributes.file_id()))
    };
    let mut at = Directory::open(path);
    loop {
        let Ok((above, next)) = climb(at) else { return true };
        if next == identity {
            return false;
        }
        if next != own && others.contains(&next) {
            return true;
        }
        (at, identity) = (Ok(above), next);
    }
}
