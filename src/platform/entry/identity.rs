//! Identity of an entry, which distinguishes it from a later entry with the same name. The later entry may even have
//! the same inode number, because ext4 reuses inode numbers.
//!
//! Invariant: reading an identity does not open, mount or download anything, and follows no symbolic link.

use crate::base::clock::Time;
use crate::base::kind::Kind;
use crate::platform::Attributes;

/// Identity of an entry at one point in time.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Identity {
    /// Attributes, including the device and inode number.
    pub attributes: Attributes,
    /// Birth time, if the file system records it.
    pub born: Option<Time>,
    /// Time of the last change to the contents.
    pub modified: Time,
    /// Time of the last change to the inode.
    pub changed: Time,
}

impl Identity {
    /// Returns `true` if `now` identifies the same inode, even if its contents have changed.
    pub fn is_same_inode(&self, now: &Self) -> bool {
        let inode = |it: &Self| (it.attributes.kind, it.attributes.device, it.attributes.inode, it.born);
        inode(self) == inode(now)
    }

    /// Returns `true` if `now` identifies the same inode, under any name, with unchanged contents. For a directory
    /// whose birth time is known, added and deleted entries do not count as a change.
    pub fn is_unchanged(&self, now: &Self) -> bool {
        let written = |it: &Self| (it.attributes.apparent, it.modified);
        let ignores_contents = self.attributes.kind == Kind::Directory && self.born.is_some();
        self.is_same_inode(now) && (ignores_contents || written(self) == written(now))
    }

    /// Returns `true` if [`Self::is_unchanged`] returns `true` and the change time of the inode is the same. Renaming
    /// the entry usually updates this time, and no program can set this time back. The change time is ignored for a
    /// directory whose birth time is known, and for a file with several names, because deleting any of the names
    /// updates the time.
    pub fn is_untouched(&self, now: &Self) -> bool {
        let is_directory = self.attributes.kind == Kind::Directory;
        let may_be_touched =
            self.attributes.links > 1 && !is_directory || is_directory && self.born.is_some();
        self.is_unchanged(now) && (may_be_touched || self.changed == now.changed)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::platform::Boundary;

    fn identity(kind: Kind, born: Option<Time>) -> Identity {
        let attributes = Attributes {
            kind,
            blocks: 8,
            apparent: 100,
            mtime: 50,
            inode: 7,
            device: 3,
            links: 1,
            uid: 0,
            gid: 0,
            mode: 0,
            border: Boundary::None,
        };
        Identity { attributes, born, modified: (50, 1), changed: (60, 1) }
    }

    /// Compares an entry with a later one of the same kind that reused its inode number. Only the birth times differ.
    #[test]
    fn a_recreated_inode_is_another_one() {
        for kind in [Kind::File, Kind::Directory, Kind::Symlink] {
            let before = identity(kind, Some((40, 5)));
            assert!(before.is_untouched(&before));
            let now = Identity { born: Some((40, 6)), ..before };
            assert!(!before.is_same_inode(&now) && !before.is_unchanged(&now), "{kind:?}");
        }
    }

    #[test]
    fn a_file_changes_when_written_and_a_directory_when_recreated() {
        let grown = |it: Identity| Identity {
            attributes: Attributes { apparent: 101, ..it.attributes },
            modified: (50, 2),
            changed: (60, 2),
            ..it
        };
        let file = identity(Kind::File, Some((40, 5)));
        assert!(file.is_same_inode(&grown(file)) && !file.is_unchanged(&grown(file)));
        let directory = identity(Kind::Directory, Some((40, 5)));
        assert!(directory.is_untouched(&grown(directory)));
        // The birth time of this directory is unknown.
        let directory = identity(Kind::Directory, None);
        assert!(directory.is_untouched(&directory) && !directory.is_unchanged(&grown(directory)));
    }

    #[test]
    fn the_last_change_of_an_inode_reveals_changes_despite_set_times() {
        let file = identity(Kind::File, None);
        let touched = Identity { changed: (60, 2), ..file };
        assert!(file.is_unchanged(&touched) && !file.is_untouched(&touched));
        let linked = |it: Identity| Identity { attributes: Attributes { links: 2, ..it.attributes }, ..it };
        assert!(linked(file).is_untouched(&linked(touched)));
        let born = identity(Kind::File, Some((1, 1)));
        assert!(!born.is_untouched(&Identity { changed: (60, 2), ..born }));
        let directory = identity(Kind::Directory, Some((1, 1)));
        assert!(directory.is_untouched(&Identity { changed: (60, 2), ..directory }));
    }
}
