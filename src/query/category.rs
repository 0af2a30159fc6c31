//! Categories of files by extension, for `type:video` and the rows of the types view.
//!
//! Files are not opened to detect their type. An executable file whose name does not determine a category is
//! a program. If different kinds of files have the same extension, the extension belongs to the category of
//! most of these files. For example, `mod` is code. For `ts` and `mts`, the category also depends on the
//! length of the file, which distinguishes TypeScript from MPEG transport streams. A known name without an
//! extension, such as `Makefile`, counts as an extension itself.

use crate::base::sync::OnceLock;
use crate::tree::{Entry, EntryState};

/// Category of a file, guessed from its name and, in some cases, from its length or its execute permission.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Category {
    /// Films and clips.
    Video,
    Image,
    /// Music and other sound.
    Audio,
    /// Archives, compressed files and packages.
    Archive,
    /// Text documents, spreadsheets and presentations.
    Document,
    /// Source code, scripts and settings.
    Code,
    /// Databases, tabular data and machine-learning models.
    Data,
    /// Images of whole disks.
    DiskImage,
    /// Programs, libraries and object files.
    Program,
    Font,
    Log,
    /// Backups, caches and temporary files of programs.
    Temporary,
    /// Any other extension, or no extension.
    Other,
}

impl Category {
    /// All categories, in the order of their discriminants.
    pub const ALL: [Self; 13] = [
        Self::Video,
        Self::Image,
        Self::Audio,
        Self::Archive,
        Self::Document,
        Self::Code,
        Self::Data,
        Self::DiskImage,
        Self::Program,
        Self::Font,
        Self::Log,
        Self::Temporary,
        Self::Other,
    ];

    /// Returns the name of the category in a query.
    pub fn name(self) -> &'static str {
        match self {
            Self::Video => "video",
            Self::Image => "image",
            Self::Audio => "audio",
            Self::Archive => "archive",
            Self::Document => "document",
            Self::Code => "code",
            Self::Data => "data",
            Self::DiskImage => "disk-image",
            Self::Program => "program",
            Self::Font => "font",
            Self::Log => "log",
            Self::Temporary => "temporary",
            Self::Other => "other",
        }
    }

    /// Returns the category called `name`, if there is one.
    pub(crate) fn named(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|category| category.name() == name)
    }

    /// Returns the category of a regular file.
    pub fn of(file: &Entry<'_>) -> Self {
        Self::of_file(Extension::of(file.name), file)
    }

    /// Returns the category of a regular file. `extension` is the extension of its name, or `None` if there is none.
    pub fn of_file(extension: Option<Extension>, file: &Entry<'_>) -> Self {
        let (length, can_run) = match file.state {
            EntryState::Known(metadata) => (metadata.apparent, metadata.can_run()),
            EntryState::Excluded(_) | EntryState::Failed(_) => (0, false),
        };
        let is_stream = extension.is_some_and(|own| matches!(own.as_bytes(), b"ts" | b"mts"))
            && length >= SMALLEST_STREAM
            && PACKETS.iter().any(|packet| length.is_multiple_of(*packet));
        match extension.map_or(Self::Other, Self::of_extension) {
            _ if is_stream => Self::Video,
            Self::Other if can_run => Self::Program,
            category => category,
        }
    }

    /// Returns the category of a file called `name` whose metadata is unknown.
    pub fn of_name(name: &[u8]) -> Self {
        Extension::of(name).map_or(Self::Other, Self::of_extension)
    }

    pub fn of_extension(extension: Extension) -> Self {
        let (table, key) = (&tables().categories, key(extension.as_bytes()));
        table.binary_search_by_key(&key, |(key, _)| *key).map_or(Self::Other, |index| table[index].1)
    }
}

/// Packet sizes of MPEG transport streams, in bytes: 188 (ISO/IEC 13818-1), and 192 on cameras and Blu-ray discs, which
/// add a time stamp. The length of a stream is a multiple of the packet size.
const PACKETS: [u64; 2] = [188, 192];
/// Minimum length of a transport stream in bytes. TypeScript files, which have the same extensions, are shorter.
const SMALLEST_STREAM: u64 = 1 << 20;

/// Maximum length of an extension in bytes.
const LONGEST: usize = 15;

/// Extension of a file name, in lower case.
///
/// The extension is the text after the last dot, if this text is short and contains a letter and no blank. A dot at the
/// start of the name does not count, so `.hidden` has no extension. Neither do `backup.001` and `backup.002`, which
/// contain no letter after the dot. Version numbers after the extension of a shared library are ignored: the extension
/// of `libz.so.1.3` is `so`. If extensions.txt lists the complete name, such as `Makefile` or `.gitignore`, the
/// extension is the name without a leading dot: `makefile`, `gitignore`. A name that is listed in the category `code`
/// is the extension even if another extension follows it, as in `Dockerfile.dev` and `CMakeLists.txt`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Extension {
    bytes: [u8; LONGEST],
    length: u8,
}

impl Extension {
    /// Returns the extension of `name`, if it has one.
    pub fn of(name: &[u8]) -> Option<Self> {
        let name = without_versions(name);
        let window = name.len().saturating_sub(LONGEST + 1);
        let dot = name[window..].iter().rposition(|byte| *byte == b'.').map(|dot| window + dot);
        match dot {
            Some(dot) if name[..dot].iter().any(|byte| *byte != b'.') => {
                let stem = Self::new(&name[..dot]).filter(|stem| stem.is_whole_name(Dot::None));
                let build_file = stem.filter(|stem| Category::of_extension(*stem) == Category::Code);
                build_file.or_else(|| Self::new(&name[dot + 1..]))
            }
            Some(0) => Self::new(&name[1..]).filter(|own| own.is_whole_name(Dot::First)),
            Some(_) => None,
            None => Self::new(name).filter(|own| own.is_whole_name(Dot::None)),
        }
    }

    fn is_whole_name(self, dot: Dot) -> bool {
        tables().names.binary_search(&(key(self.as_bytes()), dot)).is_ok()
    }

    /// Returns the dot to show before the extension; empty for a complete name without a dot, such as `makefile`.
    pub fn dot(self) -> &'static str {
        if self.is_whole_name(Dot::None) { "" } else { "." }
    }

    /// Converts `text`, given without the dot, to an extension. Returns `None` if `text` is not a valid extension.
    pub fn new(text: &[u8]) -> Option<Self> {
        let is_part = |byte: &u8| byte.is_ascii_graphic() && *byte != b'.' || !byte.is_ascii();
        let is_letter = |byte: &u8| byte.is_ascii_alphabetic() || !byte.is_ascii();
        if !text.iter().all(is_part) || !text.iter().any(is_letter) {
            return None;
        }
        let mut bytes = [0; LONGEST];
        bytes.get_mut(..text.len())?.copy_from_slice(text);
        bytes.make_ascii_lowercase();
        Some(Self { bytes, length: u8::try_from(text.len()).ok()? })
    }

    /// Returns the bytes of the extension, without the dot.
    pub fn as_bytes(&self) -> &[u8] {
        &self.bytes[..usize::from(self.length)]
    }
}

/// Returns the name of a shared library without its version. Other names are returned unchanged.
fn without_versions(name: &[u8]) -> &[u8] {
    let mut end = name;
    while let Some(dot) = end.iter().rposition(|byte| *byte == b'.') {
        let part = &end[dot + 1..];
        if part == b"so" {
            return end;
        }
        if part.is_empty() || !part.iter().all(u8::is_ascii_digit) {
            break;
        }
        end = &end[..dot];
    }
    name
}

/// Extensions by category. Each category consists of its name, a colon and its extensions, on one or several lines. A
/// word that begins with an equals sign is a complete file name.
const EXTENSIONS: &str = include_str!("extensions.txt");

/// Leading dot of a complete file name: absent, as in `Makefile`, or present, as in `.gitignore`.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Dot {
    None,
    First,
}

/// Contents of extensions.txt, encoded as numbers by [`key`] and sorted. Numbers are used because `type:` looks up the
/// category of every file, and comparing two numbers takes only one or two instructions.
#[derive(Default)]
struct Tables {
    /// Category of each extension, and of each complete file name in `names`.
    categories: Vec<(u128, Category)>,
    /// Complete file names that have a category. A leading dot is removed; [`Dot`] states whether the name had one.
    names: Vec<(u128, Dot)>,
}

fn tables() -> &'static Tables {
    static TABLES: OnceLock<Tables> = OnceLock::new();
    TABLES.get_or_init(|| {
        let (mut category, mut tables) = (Category::Other, Tables::default());
        for word in EXTENSIONS.split_ascii_whitespace() {
            if let Some(name) = word.strip_suffix(':') {
                category = Category::named(name).expect("extensions.txt names only known categories");
                continue;
            }
            let name = word.strip_prefix('=').map(|name| match name.strip_prefix('.') {
                Some(name) => (name, Dot::First),
                None => (name, Dot::None),
            });
            tables.names.extend(name.map(|(name, dot)| (key(name.as_bytes()), dot)));
            tables.categories.push((key(name.map_or(word, |(name, _)| name).as_bytes()), category));
        }
        tables.categories.sort_unstable();
        tables.names.sort_unstable();
        tables
    })
}

/// Encodes up to sixteen bytes, padded with zeros, as a number that sorts like the bytes.
fn key(text: &[u8]) -> u128 {
    let mut bytes = [0; 16];
    bytes[..text.len()].copy_from_slice(text);
    u128::from_be_bytes(bytes)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::base::kind::Kind;
    use crate::tree::{Metadata, Owner};

    #[test]
    fn every_extension_has_one_category() {
        assert!(tables().categories.is_sorted_by(|(a, _), (b, _)| a < b));
        for word in EXTENSIONS.split_ascii_whitespace().filter(|word| !word.ends_with(':')) {
            let word = word.trim_start_matches(['=', '.']);
            let extension = Extension::new(word.as_bytes()).unwrap();
            assert_eq!(extension.as_bytes(), word.as_bytes());
            assert_ne!(Category::of_extension(extension), Category::Other, "{word}");
        }
    }

    #[test]
    fn categories_are_in_the_order_of_their_discriminants() {
        for (index, class) in Category::ALL.into_iter().enumerate() {
            assert_eq!(class as usize, index);
        }
    }

    #[test]
    fn an_extension_is_short_and_follows_something() {
        let extension = |name: &str| Extension::of(name.as_bytes()).map(|it| it.as_bytes().to_vec());
        assert_eq!(extension("Film.MKV"), Some(b"mkv".to_vec()));
        assert_eq!(extension("a.tar.gz"), Some(b"gz".to_vec()));
        assert_eq!(extension("Makefile"), Some(b"makefile".to_vec()));
        assert_eq!(extension(".gitignore"), Some(b"gitignore".to_vec()));
        for none in
            ["", ".", "..", "..x", "name", "name.", ".hidden", "backup.001", "a. b", "a.sixteen_letters_"]
        {
            assert_eq!(extension(none), None, "{none}");
        }
        assert_eq!(extension("a.fifteen_letters"), Some(b"fifteen_letters".to_vec()));
        assert_eq!(Extension::of(b"a.\xff"), Extension::new(b"\xff"));
        assert_eq!(extension("libLLVM-15.so.1"), Some(b"so".to_vec()));
        assert_eq!(extension("libz.so.1.3.1"), Some(b"so".to_vec()));
        for none in ["so.1", ".so.1", "disk.1.2", "a.so.", "1.2.3"] {
            assert_eq!(extension(none), None, "{none}");
        }
        for (name, class) in [
            ("go.mod", Category::Code),
            ("app.ts", Category::Code),
            ("film.m2ts", Category::Video),
            ("libLLVM-15.so.1", Category::Program),
            ("Makefile", Category::Code),
            ("Dockerfile", Category::Code),
            (".gitignore", Category::Code),
            ("CMakeLists.txt", Category::Code),
            ("Makefile.am", Category::Code),
            ("COPYING.html", Category::Code),
            ("notes.makefile.txt", Category::Document),
            ("LICENSE", Category::Document),
            ("makefiles", Category::Other),
            (".makefile", Category::Other),
            ("gitignore", Category::Other),
            ("..gitignore", Category::Other),
        ] {
            assert_eq!(Category::of_name(name.as_bytes()), class, "{name}");
        }
        assert_eq!(Category::of_name(b"FILM.mkv"), Category::Video);
    }

    #[test]
    fn large_ts_files_of_whole_packets_are_videos() {
        let of = |name: &str, apparent| {
            let metadata = Metadata { apparent, ..Metadata::default() };
            Category::of(&Entry {
                name: name.as_bytes(),
                kind: Kind::File,
                state: EntryState::Known(metadata),
            })
        };
        assert_eq!(of("a.ts", 188 * 6_000), Category::Video);
        assert_eq!(of("a.MTS", 192 * 6_000), Category::Video);
        assert_eq!(of("a.ts", 188 * 6_000 + 1), Category::Code, "no whole packets");
        assert_eq!(of("a.ts", 188 * 100), Category::Code, "short");
        assert_eq!(of("a.rs", 188 * 6_000), Category::Code, "another extension");
        let state = EntryState::Failed(5);
        assert_eq!(Category::of(&Entry { name: b"a.ts", kind: Kind::File, state }), Category::Code);
    }

    #[test]
    fn executable_files_of_no_other_category_are_programs() {
        let of = |name: &str, is_executable, owner| {
            let state = EntryState::Known(Metadata { owner, is_executable, ..Metadata::default() });
            Category::of(&Entry { name: name.as_bytes(), kind: Kind::File, state })
        };
        let owner = |mode| Some(Owner { uid: 0, gid: 0, mode });
        assert_eq!(of("node", true, None), Category::Program);
        assert_eq!(of("kubectl.1.33", true, None), Category::Program);
        assert_eq!(of("a.xyz", true, None), Category::Program);
        assert_eq!(of("node", false, owner(0o10_0755)), Category::Program);
        assert_eq!(of("node", false, owner(0o10_0644)), Category::Other);
        assert_eq!(of("node", false, None), Category::Other);
        assert_eq!(of("build.py", true, None), Category::Code);
    }

    #[test]
    fn names_without_an_extension_are_in_no_category() {
        assert_eq!(Category::of_name(b"film"), Category::Other);
    }
}
