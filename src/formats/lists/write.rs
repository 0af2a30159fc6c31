//! Writes the directories of a list to a tree.
//!
//! The directories are written in the order of their node numbers, so a parent is written before its children. The
//! records of the log (`log.rs`), which contains the entries of the list, are released in the same order.
//!
//! Invariant: every record of the log is released once, and every directory is completed once.

use std::collections::HashSet;

use super::faults::LineFaults;
use super::log::{LogPosition, LogTag, Logged, known};
use super::path_tree::{INHERITED, ListRoot, PathTree};
use crate::base::kind::Kind;
use crate::base::text::escape;
use crate::formats::builder::{Builder, Counts, DirectoryStart, SEGMENT, Sizes, UNREADABLE};
use crate::formats::flat::Provenance;
use crate::tree::{Batch, DirId, Entry, EntryState, Links, Metadata, Tree, join};

/// Label used to form the names of the roots.
#[derive(Clone, Copy, Debug)]
pub(crate) enum RootLabel<'l> {
    /// Prefix of each root's name, which distinguishes the root from the roots of other inputs.
    Prefix(&'l [u8]),
    /// Name written for the root `.`. Any other root ROOT is written as `NAME:ROOT`, where NAME is this value. If the
    /// list has no entries, an empty root with this name is written, unless the program that wrote the list failed.
    /// Unlike with `Prefix`, a root whose only entry is a directory is kept (see `PathTree::narrow`).
    Name(&'l [u8]),
}

impl RootLabel<'_> {
    fn name(self, host: &[u8], root: &[u8]) -> Vec<u8> {
        match self {
            Self::Prefix(label) => [label, host, root].concat(),
            Self::Name(label) if root == b"." => label.to_vec(),
            Self::Name(label) => [label, b":", root].concat(),
        }
    }
}

/// Tree to which the entries of a list are added, and the state of the import.
pub(super) struct ListTarget<'w, 't> {
    pub(super) tree: &'t Tree,
    pub(super) builder: &'w mut Builder<'t>,
    pub(super) label: RootLabel<'w>,
    /// Kind of the directory sizes in the list: a directory's own sizes, or sizes that include its contents.
    pub(super) sizes: Sizes,
    pub(super) faults: &'w mut LineFaults,
    pub(super) batch: Batch,
    pub(super) counts: Counts,
}

impl PathTree {
    /// Writes all directories, and returns the host and scan time of each root.
    pub(super) fn write(mut self, target: &mut ListTarget<'_, '_>) -> Vec<Provenance> {
        let roots = std::mem::take(&mut self.roots);
        let has_hosts = roots.iter().any(|root| root.host_name != roots[0].host_name);
        let provenance = |root: &ListRoot| Provenance {
            host: String::from_utf8(root.host_name.clone()).ok().filter(|host| !host.is_empty()),
            scanned_at: root.scanned_at,
        };
        let origins = roots.iter().map(provenance).collect();
        let named = roots.iter().filter(|root| !root.is_implied);
        let taken: HashSet<_> = named.map(|root| (root.host, root.name.clone())).collect();
        for mut root in roots {
            if matches!(target.label, RootLabel::Prefix(_)) {
                self.narrow(&mut root, &taken);
            }
            let host = [&root.host_name[..], b":"].concat();
            // If the list that was read is itself an export of roots on several hosts, its root paths already begin
            // with the host name.
            let has_host = root.host_name.is_empty() || root.name.starts_with(&host);
            let prefix = if has_hosts && !has_host { host } else { Vec::new() };
            let name = target.label.name(&prefix, &root.name);
            self.write_root(&root, &name, target);
        }
        for node in 0..self.nodes.len() {
            if self.nodes[node].id != DirId::TOP {
                self.write_directory(u32::try_from(node).expect("node numbers fit into 32 bits"), target);
            }
        }
        target.tree.add_linked(target.batch.take_linked());
        target.builder.add_counts(target.counts);
        origins
    }

    /// Sets a read error for every root. Used if the program that wrote the list failed, so entries may be missing.
    pub(super) fn fail(&mut self) {
        for root in &self.roots {
            self.nodes[root.node as usize].errno = UNREADABLE;
        }
    }

    /// Replaces an implied root ([`ListRoot::is_implied`]) with its only child directory, and repeats this with the new
    /// root. Stops at a root that has a line of its own or contains anything besides a single directory. Also stops if
    /// the path of the directory is already the name of another root on the same host. `taken` contains the host number
    /// and the name of each root that is not implied.
    fn narrow(&mut self, root: &mut ListRoot, taken: &HashSet<(u32, Vec<u8>)>) {
        let host = root.host;
        while root.is_implied && self.nodes[root.node as usize].own.is_none() {
            let path = |name: &[u8]| {
                let path = if root.name == b"." { name.to_vec() } else { join([&root.name[..], name]) };
                Some(path).filter(|path| !taken.contains(&(host, path.clone())))
            };
            let Some((node, name)) = self.only_directory(root.node, path) else { return };
            (root.node, root.name) = (node, name);
        }
    }

    /// Returns the node and the path of the only child directory of a directory, and releases the child's record.
    /// `path` converts the child's name to the path. Returns `None` if the directory contains anything else, or if
    /// `path` returns `None`.
    fn only_directory(
        &mut self,
        node: u32,
        path: impl Fn(&[u8]) -> Option<Vec<u8>>,
    ) -> Option<(u32, Vec<u8>)> {
        let positions: Vec<LogPosition> = self.log.chain(self.nodes[node as usize].last).take(3).collect();
        let child = |position: &LogPosition| match self.log.read(*position) {
            Logged::Child { node, name } => Some((node, name.to_vec())),
            Logged::Entry(..) => None,
        };
        let (directory, name) = match positions.as_slice() {
            [position] | [position, _] => child(position)?,
            _ => return None,
        };
        let path = path(&name)?;
        // The older of two records is allowed only if it is the child directory's own line. `add` logs this line as an
        // ordinary entry if its kind is not `LineKind::Directory` and it precedes all lines for entries inside the
        // child.
        if let Some(position) = positions.get(1) {
            let is_line = matches!(self.log.read(*position), Logged::Entry(_, entry) if entry.name == name);
            if !is_line || self.nodes[directory as usize].own.is_some() {
                return None;
            }
            self.nodes[directory as usize].own = Some(*position);
        }
        self.log.release(positions[0]);
        Some((directory, path))
    }

    fn write_root(&mut self, root: &ListRoot, name: &[u8], target: &mut ListTarget<'_, '_>) {
        let node = &self.nodes[root.node as usize];
        let device = match node.device {
            INHERITED => target.tree.devices().of_host(root.host).index(0),
            device => device,
        };
        if let Some(own) = node.own
            && node.last.is_none()
            && !root.is_implied
            && let Logged::Entry(LogTag::Typed | LogTag::Untyped, entry) = self.log.read(own)
        {
            target.builder.push(&Entry { name, kind: entry.kind, state: on_device(entry.state, device) });
            return self.log.release(own);
        }
        let metadata = self.own(root.node, || name.to_vec(), target);
        let start = DirectoryStart { name, metadata, sizes: Sizes::Own, device, is_read: true };
        target.builder.enter(&start);
        let id = target.builder.current();
        // This claim keeps the root incomplete after `leave`, until `write_directory` has written the root's entries.
        target.tree.claim(id, 1);
        target.builder.publish();
        target.builder.leave();
        let node = &mut self.nodes[root.node as usize];
        (node.id, node.device) = (id, device);
    }

    /// Writes the entries of a directory, and then marks the directory as read.
    fn write_directory(&mut self, node: u32, target: &mut ListTarget<'_, '_>) {
        let (tree, id) = (target.tree, self.nodes[node as usize].id);
        let device = self.nodes[node as usize].device;
        tree.begin(id);
        let positions = self.distinct(node, || tree.path(id), target.faults);
        for position in positions.into_iter().rev() {
            match self.log.read(position) {
                Logged::Entry(_, entry) => {
                    let entry = Entry { state: on_device(entry.state, device), ..entry };
                    target.counts.add(&entry);
                    target.batch.push(id, &entry);
                }
                Logged::Child { node: child, name } => {
                    let name = name.to_vec();
                    let metadata = self.own(child, || join([&tree.path(id)[..], &name]), target);
                    let child = &mut self.nodes[child as usize];
                    if child.device == INHERITED {
                        child.device = device;
                    }
                    child.id = target.batch.push_directory(tree, id, &name, metadata, child.device);
                    target.counts.entries += 1;
                    target.counts.disk = target.counts.disk.saturating_add(metadata.disk());
                }
            }
            self.log.release(position);
            if target.batch.page().length() >= SEGMENT {
                target.publish(id);
            }
        }
        target.publish(id);
        let errno = self.nodes[node as usize].errno;
        if errno != 0 {
            target.counts.errors += 1;
            tree.fail(id, errno);
        }
        tree.release(id);
    }

    /// Returns the metadata of a directory from its own line in the list, and releases the log record of this line. If
    /// the list has no line for the directory itself, returns default metadata.
    fn own(&mut self, node: u32, path: impl Fn() -> Vec<u8>, target: &mut ListTarget<'_, '_>) -> Metadata {
        let Some(position) = self.nodes[node as usize].own else { return Metadata::default() };
        let Logged::Entry(tag, entry) = self.log.read(position) else { return Metadata::default() };
        let contradiction = match entry.state {
            EntryState::Excluded(_) => Some("excluded"),
            _ if tag == LogTag::Typed && entry.kind != Kind::Directory => Some("not a directory"),
            _ => None,
        };
        if let Some(word) = contradiction {
            target
                .faults
                .note(|| format!("{}: {word}, but other lines list entries inside it", escape(&path())));
        }
        let mut metadata = Metadata { links: None, ..known(&entry) };
        if target.sizes == Sizes::Sums {
            let (blocks, apparent) = self.inside(node);
            metadata.blocks = metadata.blocks.saturating_sub(blocks);
            metadata.apparent = metadata.apparent.saturating_sub(apparent);
        }
        if let EntryState::Failed(errno) = entry.state {
            self.nodes[node as usize].errno = errno;
        }
        self.log.release(position);
        metadata
    }

    /// Returns the blocks and the apparent size of a directory's entries, to subtract them from sums ([`Sizes::Sums`]).
    fn inside(&self, node: u32) -> (u64, u64) {
        let sizes = |position| match self.log.read(position) {
            Logged::Entry(_, entry) => known(&entry),
            Logged::Child { node, .. } => match self.nodes[node as usize].own.map(|own| self.log.read(own)) {
                Some(Logged::Entry(_, entry)) => known(&entry),
                _ => Metadata::default(),
            },
        };
        self.log.chain(self.nodes[node as usize].last).map(sizes).fold((0, 0), |(blocks, apparent), next| {
            (next.blocks.saturating_add(blocks), next.apparent.saturating_add(apparent))
        })
    }
}

impl ListTarget<'_, '_> {
    /// Writes an empty root for a list that has no entries.
    pub(super) fn write_empty(&mut self, name: &[u8], host: u32) -> Provenance {
        let device = self.tree.devices().of_host(host).index(0);
        let metadata = Metadata::default();
        self.builder.enter(&DirectoryStart { name, metadata, sizes: Sizes::Own, device, is_read: true });
        self.builder.publish();
        self.builder.leave();
        Provenance { host: None, scanned_at: None }
    }

    /// Publishes the entries of directory `id` that have been written so far.
    fn publish(&mut self, id: DirId) {
        if let Some(sealed) = self.batch.seal(self.tree, id) {
            self.tree.publish(&mut self.batch, id, &sealed);
        }
    }
}

/// Returns `state` with the placeholder device [`INHERITED`] replaced by `device`.
fn on_device(state: EntryState, device: u32) -> EntryState {
    match state {
        EntryState::Known(metadata) => {
            let links = metadata.links.map(|links| Links {
                device: if links.device == INHERITED { device } else { links.device },
                ..links
            });
            EntryState::Known(Metadata { links, ..metadata })
        }
        state => state,
    }
}
