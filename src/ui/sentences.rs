//! Sentences about the results of operations, for notices.

use std::os::unix::ffi::OsStrExt;
use std::path::Path;

use super::keys::{Command, Keymap, Scope};
use super::operations::deletion::Script;
use crate::base::format::{Units, counted, grouped, plain_size};
use crate::base::os_error::io_error_text;
use crate::base::text::{escape, escape_path};
use crate::delete::script::ScriptError;
use crate::delete::{OperationKind, Report};
use crate::tree::Exclusive;

/// Settings that affect the wording of sentences.
#[derive(Clone, Copy)]
pub struct Display<'a> {
    pub keymap: &'a Keymap,
    pub units: Units,
}

/// Returns text such as `frees at least 1.2 GiB, at most 3.4 GiB`.
pub fn frees_text(exclusive: Exclusive, units: Units) -> String {
    let least = plain_size(exclusive.at_least, units);
    match exclusive.at_most {
        Some(_) if exclusive.is_exact() => format!("frees {least}"),
        Some(most) => format!("frees at least {least}, at most {}", plain_size(most, units)),
        None => format!("frees at least {least}"),
    }
}

pub fn script(script: &Script) -> String {
    match script {
        Ok(script) => {
            let warnings = if script.warnings.is_empty() { "" } else { " and its warnings" };
            format!("Wrote {}; review it{warnings} before running", escape_path(&script.path))
        }
        Err(ScriptError::Refused(path, reason)) => {
            format!("Cannot write a script: {}: {}", escape(path), reason.text())
        }
        Err(ScriptError::Exposed) => "Cannot write a script: others could change it (chmod go-w .)".into(),
        Err(ScriptError::Failed(error)) => format!("Cannot write a script: {}", io_error_text(error)),
    }
}

/// Returns the path of the trash if all entries were moved to one trash at the top of a mount, where users do
/// not expect it. Otherwise returns `None`. The Trash specification 1.0 of freedesktop.org calls such a trash
/// `.Trash-UID` or `.Trash/UID`.
fn trash_of_mount(report: &Report) -> Option<&Path> {
    let trash = report.trashed.first()?.trash.as_path();
    let is_of_mount =
        trash.file_name()?.as_bytes().starts_with(b".Trash-") || trash.parent()?.ends_with(".Trash");
    (is_of_mount && report.trashed.iter().all(|it| it.trash == trash)).then_some(trash)
}

pub fn deleted(kind: OperationKind, report: &Report, is_at_most: bool, display: Display<'_>) -> String {
    let entries = counted(report.entries, "entry", "entries");
    let mut text = match kind {
        OperationKind::Delete | OperationKind::Empty if report.entries == 0 => match report.failures.count {
            0 if !report.is_cancelled => "Nothing to delete".to_owned(),
            _ => "Nothing was deleted".to_owned(),
        },
        OperationKind::Trash if report.entries == 0 => "Nothing was moved to the trash".to_owned(),
        OperationKind::Delete | OperationKind::Empty => {
            let up_to = if is_at_most { "up to " } else { "" };
            let freed = plain_size(report.freed, display.units);
            // If the notice must also report a journal error, omit the free space to make room for the error.
            let gained = report.unwritten.is_none().then(|| report.gained_text(display.units));
            format!("Deleted {entries}, freed {up_to}{freed}{}", gained.unwrap_or_default())
        }
        OperationKind::Trash => {
            let restores = display.keymap.hint(
                Command::Restore,
                Scope::List,
                if report.entries == 1 { "restores it" } else { "restores them" },
            );
            let trash = trash_of_mount(report).map_or_else(|| "the trash".to_owned(), escape_path);
            format!("Moved {entries} to {trash}{restores}; space not freed yet")
        }
        OperationKind::Share => report.shared_text(display.units),
        OperationKind::Restore if report.entries == 0 => "Nothing was restored".to_owned(),
        OperationKind::Restore => format!("Restored {entries}"),
    };
    if report.is_cancelled {
        text = format!("Stopped. {text}");
    }
    match report.failures.count {
        0 => {}
        1 => text += "; 1 failed",
        count => text.extend(["; ", &grouped(count), " failed"]),
    }
    if let Some(reason) = &report.unwritten {
        text.extend(["; journal not written: ", reason]);
    }
    text
}
