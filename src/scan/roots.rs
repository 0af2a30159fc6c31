//! The roots of a scan: what was asked for, and which of it lies inside another.
//!
//! A root inside another one becomes an alias: the virtual top's entry for it points to the directory in the other
//! root's tree. It is looked for by identity while the outer root is read, and read on its own afterwards if it was not
//! met there (excluded, on another file system, unreadable).
//!
//! Invariant: no directory is read, and none counted, through two roots.

use std::collections::HashSet;
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};

use rayon::Scope;

use super::Shared;
use super::judge::facts;
use super::visit::Visitor;
use crate::platform::{Attributes, Directory, Errno, attributes_of_path};
use crate::sync::lock;
use crate::tree::{Batch, Content, DirId, Facts, Links, Record};

type Identity = (u64, u64);

struct Root<'s> {
    path: &'s Path,
    attributes: Result<Attributes, Errno>,
    /// Its own directory, if it is one and no repetition.
    id: Option<DirId>,
    inside: bool,
}

pub(super) struct Roots<'s> {
    shared: &'s Shared,
    roots: Vec<Root<'s>>,
}

impl<'s> Roots<'s> {
    /// Looks at every root and makes them the entries of the top.
    pub(super) fn publish(shared: &'s Shared, paths: &'s [PathBuf], visitor: &Visitor<'_>) -> Self {
        let mut roots: Vec<Root<'s>> = paths
            .iter()
            .map(|path| Root { path, attributes: attributes_of_path(path), id: None, inside: false })
            .collect();
        if roots.len() > 1 {
            mark_inside(&mut roots, visitor);
        }
        let mut tools = shared.workers.tools();
        let batch = &mut tools.batch;
        for root in &mut roots {
            match &root.attributes {
                Ok(attributes) if attributes.is_directory() => {
                    let device = shared.tree.devices().index(attributes.device);
                    let name = root.path.as_os_str().as_bytes();
                    let facts = facts(attributes, None, shared.options.owners);
                    root.id = Some(batch.push_directory(&shared.tree, DirId::TOP, name, facts, device));
                }
                _ => batch.push(DirId::TOP, &root.record(shared, None)),
            }
        }
        if let Some(mut sealed) = batch.seal(&shared.tree, DirId::TOP) {
            // Roots are no items.
            sealed.sum.items = 0;
            shared.tree.publish(batch, DirId::TOP, &sealed);
            shared.workers.has_read(&sealed);
        }
        shared.tree.begin(DirId::TOP);
        Self { shared, roots }
    }

    /// Visits the roots that lie in no other.
    pub(super) fn visit_outermost<'v: 'j, 'j>(&self, visitor: &'v Visitor<'v>, scope: &Scope<'j>) {
        for id in self.roots.iter().filter(|root| !root.inside).filter_map(|root| root.id) {
            visitor.visit_root(scope, id);
        }
    }

    /// Makes aliases of those that were met inside another, and visits those that were not.
    pub(super) fn visit_rest<'v: 'j, 'j>(&self, visitor: &'v Visitor<'v>, scope: &Scope<'j>) {
        if !self.roots.iter().any(|root| root.inside) {
            return;
        }
        let mut known = lock(&visitor.judge.awaited);
        let mut targets: Vec<Option<DirId>> = Vec::new();
        for root in &self.roots {
            let target = match (root.identity(), root.id) {
                (Some(identity), Some(own)) => Some(match known.get(&identity).copied().flatten() {
                    Some(elsewhere) if root.inside => elsewhere,
                    _ => {
                        // The first root of its identity: a repetition of it is an alias.
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
                visitor.visit_root(scope, own);
            } else {
                shared.tree.discard(own);
            }
        }
    }
}

impl Root<'_> {
    fn identity(&self) -> Option<Identity> {
        self.attributes
            .as_ref()
            .ok()
            .filter(|found| found.is_directory())
            .map(|found| (found.device, found.inode))
    }

    /// The entry of the top for this root; of a directory, the one at `target`.
    fn record(&self, shared: &Shared, target: Option<DirId>) -> Record<'_> {
        let name = self.path.as_os_str().as_bytes();
        match &self.attributes {
            Err(errno) => {
                Record { name, kind: crate::kind::Kind::Unknown, content: Content::Failed(*errno as i32) }
            }
            Ok(attributes) => {
                // A file given as a root may be met again below another root: it takes part in the counting of links.
                let links = (!attributes.is_directory()).then(|| Links {
                    count: attributes.links,
                    device: shared.tree.devices().index(attributes.device),
                });
                let facts = facts(attributes, links, shared.options.owners);
                let content = Content::Known(Facts { directory: target, ..facts });
                Record { name, kind: attributes.kind, content }
            }
        }
    }
}

/// Finds the roots that lie inside another, or repeat one, and lets the visitor wait for them.
fn mark_inside(roots: &mut [Root<'_>], visitor: &Visitor<'_>) {
    let identities: HashSet<Identity> = roots.iter().filter_map(Root::identity).collect();
    let mut met: HashSet<Identity> = HashSet::new();
    for root in roots {
        let Some(identity) = root.identity() else { continue };
        root.inside = !met.insert(identity) || is_inside(root.path, identity, &identities);
        if root.inside {
            lock(&visitor.judge.awaited).entry(identity).or_default();
        }
    }
}

/// Climbs from a directory to the top of the file system and looks for one of `others` on the way. Where it cannot climb,
/// it may be inside: then it is looked for in all the others before it is read on its own.
fn is_inside(path: &Path, own: Identity, others: &HashSet<Identity>) -> bool {
    let mut identity = own;
    let climb = |from: Result<Directory, Errno>| {
        let above = from?.step_into(c"..")?;
        let attributes = above.attributes()?;
        Ok::<_, Errno>((above, (attributes.device, attributes.inode)))
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
