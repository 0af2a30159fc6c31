//! Writing of a list's directories to a tree, depth first.
//!
//! Invariant: every record of the log is released once, before or when it is written.

use super::faults::LineFaults;
use super::log::{LogPlace, LogTag, Logged, known};
use super::path_tree::{INHERITED, ListRoot, PathTree};
use crate::base::kind::Kind;
use crate::base::text::escape;
use crate::formats::builder::{Builder, DirectoryStart, Sizes};
use crate::formats::flat::Provenance;
use crate::tree::{Devices, Entry, EntryState, Links, Metadata, join};

/// Destination of a list.
pub(super) struct ListTarget<'w, 't> {
    pub(super) builder: &'w mut Builder<'t>,
    pub(super) devices: &'w Devices,
    /// Prefix of the roots' names, which distinguishes them from those of other inputs.
    pub(super) label: &'w [u8],
    /// Meaning of the sizes of directories.
    pub(super) sizes: Sizes,
    pub(super) faults: &'w mut LineFaults,
}

/// Directory that is being written.
struct WrittenDirectory {
    /// Records that have not been written, from the last to the first.
    places: Vec<LogPlace>,
    device: u32,
    /// Length of the directory's path in bytes.
    path: usize,
}

impl PathTree {
    /// Writes all directories, and returns the origins of the roots.
    pub(super) fn write(mut self, target: &mut ListTarget<'_, '_>) -> Vec<Provenance> {
        let roots = std::mem::take(&mut self.roots);
        let has_hosts = roots.iter().any(|root| root.host_name != roots[0].host_name);
        let provenance = |root: &ListRoot| Provenance {
            host: String::from_utf8(root.host_name.clone()).ok().filter(|host| !host.is_empty()),
            scanned_at: root.scanned_at,
        };
        let origins = roots.iter().map(provenance).collect();
        for mut root in roots {
            let places = self.narrow(&mut root, target.faults);
            let mut name = target.label.to_vec();
            if has_hosts && !root.host_name.is_empty() {
                name.extend_from_slice(&root.host_name);
                name.push(b':');
            }
            name.extend_from_slice(&root.name);
            self.write_root(&root, name, places, target);
        }
        origins
    }

    /// Replaces a root that no line names by the directory in it, as long as that is all it contains. Returns the
    /// records of the root.
    fn narrow(&mut self, root: &mut ListRoot, faults: &mut LineFaults) -> Vec<LogPlace> {
        let mut places = self.distinct(root.node, &root.name, faults);
        while root.is_implied
            && self.nodes[root.node as usize].own.is_none()
            && let [place] = *places
            && let Logged::Child { node, name } = self.log.read(place)
        {
            root.name = if root.name == b"." { name.to_vec() } else { join([&root.name[..], name]) };
            root.node = node;
            self.log.release(place);
            places = self.distinct(root.node, &root.name, faults);
        }
        places
    }

    fn write_root(
        &mut self,
        root: &ListRoot,
        name: Vec<u8>,
        places: Vec<LogPlace>,
        target: &mut ListTarget<'_, '_>,
    ) {
        let node = &self.nodes[root.node as usize];
        if let Some(own) = node.own
            && node.last.is_none()
            && !root.is_implied
            && let Logged::Entry(LogTag::Typed | LogTag::Untyped, entry) = self.log.read(own)
        {
            let device = target.devices.of_host(root.host).index(0);
            target.builder.push(&Entry { name: &name, kind: entry.kind, state: placed(entry.state, device) });
            return self.log.release(own);
        }
        let mut path = name.clone();
        let device = match node.device {
            INHERITED => target.devices.of_host(root.host).index(0),
            device => device,
        };
        let mut open = vec![self.enter(root.node, &name, &path, device, places, target)];
        while let Some(directory) = open.last_mut() {
            path.truncate(directory.path);
            let Some(place) = directory.places.pop() else {
                open.pop();
                target.builder.leave();
                continue;
            };
            let device = directory.device;
            match self.log.read(place) {
                Logged::Entry(_, entry) => {
                    target.builder.push(&Entry { state: placed(entry.state, device), ..entry });
                }
                Logged::Child { node, name } => {
                    let name = name.to_vec();
                    path = join([&path[..], &name]);
                    let places = self.distinct(node, &path, target.faults);
                    open.push(self.enter(node, &name, &path, device, places, target));
                }
            }
            self.log.release(place);
        }
    }

    /// Starts a directory. `above` is the device of the directory that contains it.
    fn enter(
        &mut self,
        node: u32,
        name: &[u8],
        path: &[u8],
        above: u32,
        places: Vec<LogPlace>,
        target: &mut ListTarget<'_, '_>,
    ) -> WrittenDirectory {
        let directory = &self.nodes[node as usize];
        let (own, errno) = (directory.own, directory.errno);
        let device = if directory.device == INHERITED { above } else { directory.device };
        let (metadata, failure) =
            own.map_or((Metadata::default(), None), |own| self.own(own, path, target.faults));
        let sizes = if own.is_some() { target.sizes } else { Sizes::Own };
        target.builder.enter(&DirectoryStart { name, metadata, sizes, device, is_read: true });
        if let Some(errno) = failure.or((errno != 0).then_some(errno)) {
            target.builder.fail(errno);
        }
        WrittenDirectory { places, device, path: path.len() }
    }

    /// Returns the attributes of a directory and the error number in its line, and releases the line.
    fn own(&mut self, own: LogPlace, path: &[u8], faults: &mut LineFaults) -> (Metadata, Option<i32>) {
        let Logged::Entry(tag, entry) = self.log.read(own) else { return (Metadata::default(), None) };
        let contradiction = match entry.state {
            EntryState::Excluded(_) => Some("excluded"),
            _ if tag == LogTag::Typed && entry.kind != Kind::Directory => Some("not a directory"),
            _ => None,
        };
        if let Some(word) = contradiction {
            faults.note(|| format!("{}: {word}, but other lines are inside it", escape(path)));
        }
        let failure = match entry.state {
            EntryState::Failed(errno) => Some(errno),
            EntryState::Known(_) | EntryState::Excluded(_) => None,
        };
        let metadata = Metadata { links: None, ..known(&entry) };
        self.log.release(own);
        (metadata, failure)
    }
}

/// Returns the state of an entry in a directory on `device`.
fn placed(state: EntryState, device: u32) -> EntryState {
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
