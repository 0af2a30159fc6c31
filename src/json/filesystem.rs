//! The `filesystem` object: where the rest is, for programs. docs/json.md says what its keys mean.
//!
//! Knows nothing of how the figures come to be. Invariant: what is not known has no key.

use super::writer::Writer;
use crate::platform::error_text;
use crate::space::{
    Capacity, Deleted, Hidden, Note, Outside, Part, Reach, Remainder, Shadow, Space, Standing, Subvolume,
    Through,
};

use std::os::unix::ffi::OsStrExt;
use std::path::Path;

/// Writes the accounting of one file system as an object.
pub(super) fn write(json: &mut Writer<'_>, space: &Space) {
    json.raw("{");
    path(json, "path", &space.path);
    if let Some(mount) = &space.mount {
        json.raw(",");
        json.name("mount_point", &mount.point);
        json.raw(",");
        json.name("source", &mount.source);
        json.raw(",");
        json.name("type", &mount.kind);
    }
    match space.capacity {
        Ok(capacity) => self::capacity(json, &capacity),
        Err(error) => failure(json, error as i32),
    }
    json.raw(",\"scanned\":");
    json.number(space.scanned.disk);
    json.raw(",\"entries\":");
    json.number(space.scanned.entries);
    json.raw(",\"unreadable\":");
    json.number(space.scanned.unreadable);
    json.raw(",\"left_out\":");
    json.number(space.scanned.left_out);
    json.raw(",\"whole\":");
    json.raw(if space.is_whole() { "true" } else { "false" });
    list(json, "outside", &space.outside, outside);
    list(json, "hidden", &space.shadows, shadow);
    json.raw(",\"deleted_reach\":\"");
    json.raw(reach(space.reach));
    json.raw("\"");
    list(json, "deleted", &space.deleted, deleted);
    list(json, "parts", &space.parts, part);
    match space.remainder() {
        Some(Remainder::Missing(missing)) => key_number(json, ",\"remainder\":", missing),
        Some(Remainder::Shared(shared)) => key_number(json, ",\"remainder\":-", shared),
        None => {}
    }
    space.notes.iter().for_each(|one| note(json, one));
    json.raw("}");
}

fn capacity(json: &mut Writer<'_>, capacity: &Capacity) {
    key_number(json, ",\"size\":", capacity.size);
    key_number(json, ",\"used\":", capacity.used());
    key_number(json, ",\"available\":", capacity.available);
    key_number(json, ",\"reserved\":", capacity.reserved());
    if capacity.inodes > 0 {
        key_number(json, ",\"inodes\":{\"total\":", capacity.inodes);
        key_number(json, ",\"used\":", capacity.inodes_used());
        key_number(json, ",\"free\":", capacity.inodes_free);
        json.raw("}");
    }
}

fn outside(json: &mut Writer<'_>, outside: &Outside) {
    match outside {
        Outside::Above(point) => {
            json.raw("{\"reason\":\"above\",");
            path(json, "path", point);
        }
        Outside::Directory(root) => {
            json.raw("{\"reason\":\"directory\",");
            json.name("path", root);
        }
        Outside::Unknown => json.raw("{\"reason\":\"unknown\""),
    }
    json.raw("}");
}

fn shadow(json: &mut Writer<'_>, shadow: &Shadow) {
    json.raw("{");
    path(json, "path", &shadow.path);
    match shadow.hidden {
        Ok(Hidden { disk, entries, unreadable }) => {
            key_number(json, ",\"disk\":", disk);
            key_number(json, ",\"entries\":", entries);
            key_number(json, ",\"unreadable\":", unreadable);
        }
        Err(error) => failure(json, error as i32),
    }
    json.raw("}");
}

fn reach(reach: Reach) -> &'static str {
    match reach {
        Reach::None => "none",
        Reach::Own => "own",
        Reach::Container => "container",
        Reach::All => "all",
    }
}

fn deleted(json: &mut Writer<'_>, file: &Deleted) {
    json.raw("{");
    json.name("path", &file.path);
    if let Some(disk) = file.disk {
        key_number(json, ",\"disk\":", disk);
    }
    key_number(json, ",\"inode\":", file.inode);
    key_number(json, ",\"device\":", file.device);
    list(json, "processes", &file.holders, |json, holder| {
        key_number(json, "{\"pid\":", u64::from(holder.pid));
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

fn part(json: &mut Writer<'_>, part: &Part) {
    json.raw("{\"name\":\"");
    json.raw(part.what.name());
    key_number(json, "\",\"disk\":", part.bytes);
    json.raw(",\"counted\":\"");
    json.raw(match part.standing {
        Standing::Used => "used",
        Standing::Beside => "beside",
        Standing::Within => "within",
        Standing::Reserved => "reserved",
    });
    json.raw("\"}");
}

fn note(json: &mut Writer<'_>, note: &Note) {
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
            key_number(json, ",\"quota\":{\"limit\":", quota.limit);
            key_number(json, ",\"used\":", quota.used);
            json.raw("}");
        }
        Note::DirectoryLimit { shown, .. } => key_number(json, ",\"directory_limit\":", *shown),
        Note::Memory => json.raw(",\"memory\":true"),
        Note::Refused(_) => json.raw(",\"refused\":true"),
    }
}

fn subvolume(json: &mut Writer<'_>, subvolume: &Subvolume) {
    key_number(json, "{\"id\":", subvolume.id);
    json.raw(",");
    json.name("path", &subvolume.path);
    json.raw(if subvolume.is_snapshot { ",\"snapshot\":true" } else { ",\"snapshot\":false" });
    json.raw(if subvolume.is_deleted { ",\"deleted\":true" } else { ",\"deleted\":false" });
    if let Some(exclusive) = subvolume.exclusive {
        key_number(json, ",\"exclusive\":", exclusive);
    }
    json.raw("}");
}

/// Writes a list behind what was written before.
fn list<T>(json: &mut Writer<'_>, key: &str, elements: &[T], write: impl Fn(&mut Writer<'_>, &T)) {
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

fn path(json: &mut Writer<'_>, key: &str, path: &Path) {
    json.name(key, path.as_os_str().as_bytes());
}

fn key_number(json: &mut Writer<'_>, key: &str, number: u64) {
    json.raw(key);
    json.number(number);
}

fn failure(json: &mut Writer<'_>, errno: i32) {
    json.raw(",\"error\":");
    json.string(error_text(errno).as_bytes());
    json.raw(",\"errno\":");
    json.signed(i64::from(errno));
}
