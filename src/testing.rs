//! Parts of the program that its own tests, benchmarks and fuzz targets use. They may change in any version.

/// Searches and statistics.
#[cfg(feature = "formats")]
pub mod analysis {
    pub use crate::analysis::{search, survey};
}

/// Deletion, trash and scripts.
#[cfg(feature = "browser")]
pub mod delete {
    pub use crate::delete::{
        Blocked, CopyName, CopySharing, DeleteScope, DeleteWarning, Failure, Failures, Journal, Kept,
        NoTrash, Operation, Owner, Preview, Reason, Removal, Report, Selection, Trashing, journal, preview,
        remove, restore, script, start, trash,
    };
}

/// Space accounting for file systems.
#[cfg(feature = "browser")]
pub mod df {
    pub use crate::df::{
        CountedAs, Errno, FileSystemUsage, NotScanned, Note, OverheadKind, ProcessAccess, Report, Through,
        Unexplained, report, rows,
    };
}

/// Search for duplicates.
#[cfg(feature = "browser")]
pub mod duplicates {
    pub use crate::duplicates::{Duplicates, EqualEntry, find};
}

/// File formats for trees.
#[cfg(feature = "formats")]
pub mod formats {
    pub use crate::formats::{WrittenEntries, flat, lists, ncdu_binary, ncdu_write, snapshot};
}

/// Search for exclusive sizes: the bytes that deleting each entry would free.
#[cfg(feature = "browser")]
pub mod exclusive {
    pub use crate::exclusive::find;
}

/// `--json` output.
#[cfg(feature = "browser")]
pub mod output {
    pub use crate::output::json;
}

/// Access to the operating system.
pub mod platform {
    #[cfg(feature = "formats")]
    pub use crate::platform::atomic_file::AtomicFile;
    pub use crate::platform::entry::safe_path;
    pub use crate::platform::fs::mounts::mounts;
    pub use crate::platform::memory::block_file::Access;
    pub use crate::platform::process::limits::processors;
    pub use crate::platform::read_dir;
    #[cfg(feature = "formats")]
    pub use crate::platform::terminal::signals::{Watch, is_writable};
    pub use crate::platform::{Attributes, Boundary, Directory, Errno, Filled, attributes_of_path};
}

/// Sources of trees.
#[cfg(feature = "formats")]
pub mod source {
    pub use crate::source::{Source, SourceSpec, baseline, import, latest_snapshot, plan, snapshot_store};
}

/// Sorted entries of directories, and sizes and names recorded by the previous scan.
#[cfg(feature = "browser")]
pub mod table {
    pub use crate::table::{recorded, rows};
}

/// Parts of the browser that work without a terminal.
#[cfg(feature = "browser")]
pub mod ui {
    pub use crate::ui::keys::{KEYMAP, Scope, markdown, settings_markdown};
    pub use crate::ui::theme::{Background, Colors, Glyphs, Preset, Theme, ThemeOptions};
    pub use crate::ui::{
        Settings, answer_gate, app, layers, loader, message, notice, operations, options, progress, runner,
    };
}
