//! The `filesystem` object: the file-system accounting in JSON. docs/json.md explains its keys.
//!
//! Invariant: the key of an unknown value is omitted.

use std::os::unix::ffi::OsStrExt;
use std::path::Path;

use crate::base::json::JsonWriter;
use crate::df::{
    Capacity, CountedAs, CoveredFiles, FileSystem, FileSystemUsage, Hidden, NotScanned, Note, Overhead,
    ProcessAccess, Subvolume, Through, Unexplained, UnlinkedFile, Volume,
};

/// Writes the file system of a root as an object.
pub(super) fn of_root(json: &mut JsonWriter<'_>, system: &FileSystem) {
    match system {
        FileSystem::Accounted(space) => write(json, space),
        FileSystem::Shown(volume) => {
            df(json, volume);
            whole(json, volume);
            json.raw("}");
        }
    }
}

/// Opens the JSON object of a volume. The caller closes the object. Writes the path and the mount of the volume, then
/// the numbers that df shows. If these numbers could not be read, writes the error instead.
fn df(json: &mut JsonWriter<'_>, volume: &Volume) {
    json.raw("{");
    path(json, "path", &volume.path);
    if let Some(mount) = &volume.mount {
        json.raw(",");
        json.name("mount_point", &mount.point);
        json.raw(",");
        json.name("source", &mount.source);
        json.raw(",");
        json.name("type", &mount.kind);
    }
    match volume.capacity {
        Ok(capacity) => self::capacity(json, &capacity),
        Err(error) => json.failure(error as i32),
    }
}

/// Writes the keys `whole` (`true` if the scan could reach the whole file system) and `outside` (the parts that the
/// scan could not reach).
fn whole(json: &mut JsonWriter<'_>, volume: &Volume) {
    json.raw(",\"whole\":");
    json.raw(if volume.is_whole() { "true" } else { "false" });
    list(json, "outside", &volume.outside, outside);
}

/// Writes the space accounting for one file system as an object.
pub(super) fn write(json: &mut JsonWriter<'_>, space: &FileSystemUsage) {
    df(json, &space.volume);
    json.raw(",\"scanned\":");
    json.number(space.scanned.disk);
    json.raw(",\"entries\":");
    json.number(space.scanned.entries);
    json.raw(",\"unreadable\":");
    json.number(space.scanned.unreadable);
    json.raw(",\"left_out\":");
    json.number(space.scanned.excluded);
    whole(json, &space.volume);
    list(json, "hidden", &space.covered, covered_files);
    json.raw(",\"deleted_reach\":\"");
    json.raw(access(space.access));
    json.raw("\"");
    list(json, "deleted", &space.deleted, deleted);
    list(json, "parts", &space.parts, part);
    match space.unexplained() {
        Some(Unexplained::Missing(missing)) => json.field(",\"remainder\":", missing),
        Some(Unexplained::Shared(shared)) => json.field(",\"remainder\":-", shared),
        None => {}
    }
    space.notes.iter().for_each(|one| note(json, one));
    json.raw("}");
}

fn capacity(json: &mut JsonWriter<'_>, capacity: &Capacity) {
    json.field(",\"size\":", capacity.size);
    json.field(",\"used\":", capacity.used());
    json.field(",\"available\":", capacity.available);
    json.field(",\"reserved\":", capacity.reserved());
    if capacity.inodes > 0 {
        json.field(",\"inodes\":{\"total\":", capacity.inodes);
        json.field(",\"used\":", capacity.inodes_used());
        json.field(",\"free\":", capacity.inodes_free);
        json.raw("}");
    }
}

fn outside(json: &mut JsonWriter<'_>, outside: &NotScanned) {
    match outside {
        NotScanned::Above(point) => {
            json.raw("{\"reason\":\"above\",");
            path(json, "path", point);
        }
        NotScanned::Directory(root) => {
            json.raw("{\"reason\":\"directory\",");
            json.name("path", root);
        }
        NotScanned::Unknown => json.raw("{\"reason\":\"unknown\""),
    }
    json.raw("}");
}

fn covered_files(json: &mut JsonWriter<'_>, covered_files: &CoveredFiles) {
    json.raw("{");
    path(json, "path", &covered_files.path);
    match covered_files.hidden {
        Ok(Hidden { disk, entries, unreadable }) => {
            json.field(",\"disk\":", disk);
            json.field(",\"entries\":", entries);
            json.field(",\"unreadable\":", unreadable);
        }
        Err(error) => json.failure(error as i32),
    }
    json.raw("}");
}

fn access(access: ProcessAccess) -> &'static str {
    match access {
        ProcessAccess::None => "none",
        ProcessAccess::Own => "own",
        ProcessAccess::Container => "container",
        ProcessAccess::All => "all",
    }
}

fn deleted(json: &mut JsonWriter<'_>, file: &UnlinkedFile) {
    json.raw("{");
    json.name("path", &file.path);
    if let Some(disk) = file.disk {
        json.field(",\"disk\":", disk);
    }
    json.field(",\"inode\":", file.inode);
    json.field(",\"device\":", file.device);
    list(json, "processes", &file.holders, |json, holder| {
        json.field("{\"pid\":", u64::from(holder.pid));
        json.raw(",");
        json.name("name", &holder.name);
        json.raw(",\"through\":\"");
        json.raw(match holder.through {
            Through::Descriptor => "descriptor",
            Through::Memory => "memory",
        });
        json.raw("\"}");
    });
    json.raw("}");
}

fn part(json: &mut JsonWriter<'_>, part: &Overhead) {
    json.raw("{\"name\":\"");
    json.raw(part.kind.name());
    json.field("\",\"disk\":", part.bytes);
    json.raw(",\"counted\":\"");
    json.raw(match part.counted {
        CountedAs::Used => "used",
        CountedAs::Beside => "beside",
        CountedAs::Within => "within",
        CountedAs::Reserved => "reserved",
    });
    json.raw("\"}");
}

fn note(json: &mut JsonWriter<'_>, note: &Note) {
    match note {
        Note::Layers { upper, lower } => {
            json.raw(",\"layers\":[");
            let mut separator = "";
            for layer in upper.iter().chain(lower) {
                json.raw(std::mem::replace(&mut separator, ","));
                json.raw("{");
                json.name("path", layer);
                json.raw("}");
            }
            json.raw("]");
        }
        Note::Subvolumes(subvolumes) => list(json, "subvolumes", subvolumes, subvolume),
        Note::Snapshots(names) => list(json, "snapshots", names, |json, name| {
            json.raw("{");
            json.name("name", name);
            json.raw("}");
        }),
        Note::Quota(quota) => {
            json.field(",\"quota\":{\"limit\":", quota.limit);
            json.field(",\"used\":", quota.used);
            json.raw("}");
        }
        Note::DirectoryLimit { shown, .. } => json.field(",\"directory_limit\":", *shown),
        Note::Memory => json.raw(",\"memory\":true"),
        Note::Refused(_) => json.raw(",\"refused\":true"),
    }
}

fn subvolume(json: &mut JsonWriter<'_>, subvolume: &Subvolume) {
    json.field("{\"id\":", subvolume.id);
    json.raw(",");
    json.name("path", &subvolume.path);
    json.raw(if subvolume.is_snapshot() { ",\"snapshot\":true" } else { ",\"snapshot\":false" });
    json.raw(if subvolume.is_deleted { ",\"deleted\":true" } else { ",\"deleted\":false" });
    if let Some(exclusive) = subvolume.exclusive {
        json.field(",\"exclusive\":", exclusive);
    }
    json.raw("}");
}

fn list<T>(json: &mut JsonWriter<'_>, key: &str, elements: &[T], write: impl Fn(&mut JsonWriter<'_>, &T)) {
    json.raw(",\"");
    json.raw(key);
    json.raw("\":[");
    let mut separator = "";
    for element in elements {
        json.raw(std::mem::replace(&mut separator, ","));
        write(json, element);
    }
    json.raw("]");
}

fn path(json: &mut JsonWriter<'_>, key: &str, path: &Path) {
    json.name(key, path.as_os_str().as_bytes());
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::df::{OverheadKind, Scanned};
    use crate::platform::fs::overhead::Quota;
    use crate::platform::process::open_files::Holder;
    use nix::errno::Errno;

    fn text(space: &FileSystemUsage) -> String {
        let mut out = Vec::new();
        let mut json = JsonWriter::new(&mut out);
        write(&mut json, space);
        json.finish().unwrap();
        String::from_utf8(out).unwrap()
    }

    fn space(capacity: Result<Capacity, Errno>) -> FileSystemUsage {
        let scanned = Scanned { disk: 100, entries: 9, unreadable: 1, excluded: 2, is_partial: false };
        FileSystemUsage {
            volume: Volume { path: "/m".into(), mount: None, capacity, outside: vec![] },
            scanned,
            covered: vec![],
            deleted: vec![],
            access: ProcessAccess::None,
            parts: vec![],
            notes: vec![],
        }
    }

    #[test]
    fn unknown_values_have_no_key() {
        let mut known = space(Err(Errno::EIO));
        known.volume.outside.push(NotScanned::Unknown);
        let output = text(&known);
        assert_eq!(
            output,
            "{\"path\":\"/m\",\"error\":\"I/O error\",\"errno\":5,\"scanned\":100,\"entries\":9,\
             \"unreadable\":1,\"left_out\":2,\"whole\":false,\"outside\":[{\"reason\":\"unknown\"}],\
             \"hidden\":[],\"deleted_reach\":\"none\",\"deleted\":[],\"parts\":[]}"
        );
    }

    #[test]
    fn every_line_of_the_accounting_has_an_explanation() {
        let capacity =
            Capacity { size: 1000, free: 300, available: 250, unit: 1, inodes: 50, inodes_free: 40 };
        let holder = |through| Holder { pid: 7, name: b"db".to_vec(), through };
        let deleted = |disk, through| UnlinkedFile {
            device: 2,
            mount: None,
            inode: 3,
            disk,
            path: b"/m/log".to_vec(),
            holders: vec![holder(through)],
        };
        let covered_files = |hidden| CoveredFiles { path: "/m/x".into(), hidden };
        let subvolume = Subvolume {
            id: 5,
            path: b"home".to_vec(),
            parent: Some([1; 16]),
            is_deleted: false,
            exclusive: Some(8),
            ..Subvolume::default()
        };
        let outside = vec![NotScanned::Above("/".into()), NotScanned::Directory(b"/sub".to_vec())];
        let volume = Volume { path: "/m".into(), mount: None, capacity: Ok(capacity), outside };
        let output = text(&FileSystemUsage {
            volume,
            covered: vec![
                covered_files(Ok(Hidden { disk: 20, entries: 2, unreadable: 0 })),
                covered_files(Err(Errno::EPERM)),
            ],
            deleted: vec![deleted(Some(30), Through::Descriptor), deleted(None, Through::Memory)],
            access: ProcessAccess::Container,
            parts: vec![Overhead { kind: OverheadKind::Journal, bytes: 64, counted: CountedAs::Within }],
            notes: vec![
                Note::Layers { upper: Some(b"/u".to_vec()), lower: vec![b"/l".to_vec()] },
                Note::Subvolumes(vec![subvolume]),
                Note::Snapshots(vec![b"daily".to_vec()]),
                Note::Quota(Quota { limit: 500, used: 400 }),
                Note::DirectoryLimit { shown: 600, whole: 1000 },
                Note::Memory,
                Note::Refused(Errno::EPERM),
            ],
            ..space(Ok(capacity))
        });
        for part in [
            "\"size\":1000,\"used\":700,\"available\":250,\"reserved\":50,\"inodes\":{\"total\":50,\"used\":10,\"free\":40}",
            "\"outside\":[{\"reason\":\"above\",\"path\":\"/\"},{\"reason\":\"directory\",\"path\":\"/sub\"}]",
            "{\"path\":\"/m/x\",\"disk\":20,\"entries\":2,\"unreadable\":0},{\"path\":\"/m/x\",\"error\":",
            "\"deleted_reach\":\"container\"",
            "{\"path\":\"/m/log\",\"disk\":30,\"inode\":3,\"device\":2,\"processes\":[{\"pid\":7,\"name\":\"db\",\"through\":\"descriptor\"}]}",
            "{\"path\":\"/m/log\",\"inode\":3,\"device\":2,\"processes\":[{\"pid\":7,\"name\":\"db\",\"through\":\"memory\"}]}",
            "\"disk\":64,\"counted\":\"within\"}]",
            "\"remainder\":550",
            "\"layers\":[{\"path\":\"/u\"},{\"path\":\"/l\"}]",
            "{\"id\":5,\"path\":\"home\",\"snapshot\":true,\"deleted\":false,\"exclusive\":8}",
            "\"snapshots\":[{\"name\":\"daily\"}]",
            "\"quota\":{\"limit\":500,\"used\":400}",
            "\"directory_limit\":600",
            "\"memory\":true,\"refused\":true}",
        ] {
            assert!(output.contains(part), "{part}\nis not in\n{output}");
        }
    }

    #[test]
    fn more_known_than_used_is_shared_space() {
        let capacity = Capacity { size: 1000, free: 950, available: 950, ..Capacity::default() };
        let output = text(&space(Ok(capacity)));
        assert!(output.contains("\"remainder\":-50") && !output.contains("inodes"), "{output}");
    }
}
