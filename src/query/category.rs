//! Categories of files by extension, for `type:video` and the rows of the types view.
//!
//! No file is opened to detect its type. An ambiguous extension has the category of most of its files: `ts`
//! and `mod` are code. Invariant: the table is sorted, so that it can be searched.

/// Purpose of a file, as far as its name shows.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Category {
    /// Films and clips.
    Video,
    /// Pictures.
    Image,
    /// Music and other sound.
    Audio,
    /// Packed or compressed files, packages.
    Archive,
    /// Texts, spreadsheets, presentations.
    Document,
    /// Sources, scripts, settings.
    Code,
    /// Databases, tables, models.
    Data,
    /// Images of whole disks.
    DiskImage,
    /// Programs, libraries and object files.
    Program,
    /// Fonts.
    Font,
    /// Logs.
    Log,
    /// Backups, caches and leftovers of programs.
    Temporary,
    /// Any other extension, or none.
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

    /// Returns the word for it in a query.
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

    /// Returns the category of files called `name`.
    pub fn of_name(name: &[u8]) -> Self {
        Extension::of(name).map_or(Self::Other, Self::of_extension)
    }

    /// Returns the category of files with this extension.
    pub fn of_extension(extension: Extension) -> Self {
        KEYS.binary_search(&key(extension.as_bytes())).map_or(Self::Other, |index| TABLE[index].1)
    }
}

/// Length in bytes of the longest extension.
const LONGEST: usize = 15;

/// Extension of a name, in small letters.
///
/// The extension is the text after the last dot if it is short, holds a letter and no blank, and does not
/// start the name: `.bashrc` has none, and `backup.001` and `backup.002` do not become types of their own.
/// Versions after the extension of a shared library are ignored: `libz.so.1.3` ends in `so`.
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
        let dot = window + name[window..].iter().rposition(|byte| *byte == b'.')?;
        if name[..dot].iter().all(|byte| *byte == b'.') {
            return None;
        }
        Self::new(&name[dot + 1..])
    }

    /// Returns `text`, given without a dot, as an extension, if it can be one.
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

    /// Returns its bytes, without the dot.
    pub fn as_bytes(&self) -> &[u8] {
        &self.bytes[..usize::from(self.length)]
    }
}

/// Returns the name of a shared library without its versions; any other name unchanged.
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

/// Extensions of the table as numbers of the same order. Comparing them takes an instruction or two, and
/// `type:` looks up the category of every file.
const KEYS: [u128; TABLE.len()] = {
    let mut keys = [0; TABLE.len()];
    let mut index = 0;
    while index < keys.len() {
        keys[index] = key(TABLE[index].0.as_bytes());
        index += 1;
    }
    keys
};

/// Encodes up to sixteen bytes as a number of the same order, padded with zeros.
const fn key(text: &[u8]) -> u128 {
    let mut bytes = [0; 16];
    let mut at = 0;
    while at < text.len() && at < bytes.len() {
        bytes[at] = text[at];
        at += 1;
    }
    u128::from_be_bytes(bytes)
}

use Category::{
    Archive, Audio, Code, Data, DiskImage, Document, Font, Image, Log, Program, Temporary, Video,
};

/// Extensions with their categories, sorted by their bytes.
#[rustfmt::skip]
const TABLE: &[(&str, Category)] = &[
    ("3g2", Video), ("3gp", Video), ("7z", Archive), ("a", Program), ("aab", Program), ("aac", Audio),
    ("abw", Document), ("ac3", Audio), ("accdb", Data), ("ace", Archive), ("adoc", Document), ("afm", Font),
    ("ai", Image), ("aif", Audio), ("aiff", Audio), ("alac", Audio), ("amr", Audio), ("ape", Audio),
    ("apk", Program), ("app", Program), ("appimage", Program), ("ar", Archive), ("arj", Archive),
    ("arrow", Data), ("arw", Image), ("asf", Video), ("asm", Code), ("au", Audio), ("avi", Video),
    ("avif", Image), ("avro", Data), ("awk", Code), ("azw", Document), ("azw3", Document),
    ("bak", Temporary), ("bash", Code), ("bat", Code), ("bdf", Font), ("bib", Document), ("bin", Data),
    ("bmp", Image), ("br", Archive), ("bz", Archive), ("bz2", Archive), ("c", Code), ("cab", Archive),
    ("cache", Temporary), ("caf", Audio), ("cc", Code), ("cfg", Code), ("chm", Document), ("cjs", Code),
    ("class", Program), ("clj", Code), ("cljs", Code), ("cmake", Code), ("cmd", Code), ("coffee", Code),
    ("com", Program), ("conf", Code), ("core", Log), ("cpio", Archive), ("cpp", Code), ("cr", Code),
    ("cr2", Image), ("cr3", Image), ("crate", Archive), ("crdownload", Temporary), ("cs", Code),
    ("css", Code), ("csv", Data), ("cxx", Code), ("d", Code), ("dart", Code), ("dat", Data), ("db", Data),
    ("db3", Data), ("dbf", Data), ("deb", Archive), ("dex", Program), ("divx", Video), ("djvu", Document),
    ("dll", Program), ("dmg", DiskImage), ("dmp", Log), ("dng", Image), ("doc", Document),
    ("docm", Document), ("docx", Document), ("dot", Document), ("dotx", Document), ("dsf", Audio),
    ("dta", Data), ("dts", Audio), ("dv", Video), ("dvi", Document), ("dwo", Program), ("dylib", Program),
    ("ear", Archive), ("egg", Archive), ("el", Code), ("elf", Program), ("elm", Code), ("emf", Image),
    ("eot", Font), ("eps", Image), ("epub", Document), ("erl", Code), ("err", Log), ("etl", Log),
    ("evtx", Log), ("ex", Code), ("exe", Program), ("exr", Image), ("exs", Code), ("f4v", Video),
    ("f90", Code), ("fb2", Document), ("feather", Data), ("fish", Code), ("flac", Audio), ("flv", Video),
    ("fnt", Font), ("fon", Font), ("frm", Data), ("fs", Code), ("fsx", Code), ("gch", Program),
    ("gem", Archive), ("geojson", Data), ("gguf", Data), ("gif", Image), ("go", Code), ("gpkg", Data),
    ("gradle", Code), ("groovy", Code), ("gz", Archive), ("h", Code), ("h264", Video), ("h265", Video),
    ("h5", Data), ("hdd", DiskImage), ("hdf5", Data), ("hdr", Image), ("heic", Image), ("heif", Image),
    ("hevc", Video), ("hh", Code), ("hpp", Code), ("hrl", Code), ("hs", Code), ("htm", Code),
    ("html", Code), ("hxx", Code), ("ibd", Data), ("icns", Image), ("ico", Image), ("idx", Data),
    ("img", DiskImage), ("inc", Code), ("ini", Code), ("ipa", Program), ("ipynb", Code), ("iso", DiskImage),
    ("it", Audio), ("jar", Archive), ("java", Code), ("jfif", Image), ("jl", Code), ("journal", Log),
    ("jp2", Image), ("jpe", Image), ("jpeg", Image), ("jpg", Image), ("js", Code), ("json", Code),
    ("jsonl", Data), ("jsx", Code), ("jxl", Image), ("kdbx", Data), ("key", Document), ("ko", Program),
    ("kra", Image), ("kt", Code), ("kts", Code), ("ldb", Data), ("less", Code), ("lha", Archive),
    ("lib", Program), ("lisp", Code), ("lock", Code), ("log", Log), ("lua", Code), ("lz", Archive),
    ("lz4", Archive), ("lzh", Archive), ("lzma", Archive), ("lzo", Archive), ("m", Code), ("m2ts", Video),
    ("m2v", Video), ("m4", Code), ("m4a", Audio), ("m4b", Audio), ("m4v", Video), ("mak", Code),
    ("markdown", Document), ("mat", Data), ("md", Document), ("mdb", Data), ("mdf", Data), ("mid", Audio),
    ("midi", Audio), ("mjs", Code), ("mk", Code), ("mka", Audio), ("mkv", Video), ("ml", Code),
    ("mli", Code), ("mm", Code), ("mobi", Document), ("mod", Code), ("mov", Video), ("mp2", Audio),
    ("mp3", Audio), ("mp4", Video), ("mpc", Audio), ("mpeg", Video), ("mpg", Video), ("msi", Program),
    ("mts", Video), ("mxf", Video), ("myd", Data), ("myi", Data), ("ndjson", Data), ("nef", Image),
    ("nim", Code), ("nix", Code), ("node", Program), ("npy", Data), ("npz", Data), ("numbers", Document),
    ("nupkg", Archive), ("o", Program), ("obj", Program), ("odf", Document), ("odg", Image),
    ("odp", Document), ("ods", Document), ("odt", Document), ("oga", Audio), ("ogg", Audio), ("ogm", Video),
    ("ogv", Video), ("old", Temporary), ("onnx", Data), ("opus", Audio), ("orc", Data), ("orf", Image),
    ("org", Document), ("orig", Temporary), ("otf", Font), ("out", Log), ("ova", DiskImage),
    ("ovf", DiskImage), ("pack", Data), ("pages", Document), ("parquet", Data), ("part", Temporary),
    ("partial", Temporary), ("pas", Code), ("pb", Data), ("pcap", Log), ("pcapng", Log), ("pcf", Font),
    ("pch", Program), ("pcx", Image), ("pdb", Program), ("pdf", Document), ("pef", Image), ("pfa", Font),
    ("pfb", Font), ("pfm", Font), ("pgm", Image), ("php", Code), ("pickle", Data), ("pkg", Archive),
    ("pkl", Data), ("pl", Code), ("pm", Code), ("png", Image), ("pnm", Image), ("potx", Document),
    ("ppm", Image), ("pps", Document), ("ppsx", Document), ("ppt", Document), ("pptm", Document),
    ("pptx", Document), ("proto", Code), ("ps", Document), ("ps1", Code), ("psb", Image), ("psd", Image),
    ("pt", Data), ("pth", Data), ("pxd", Code), ("py", Code), ("pyc", Program), ("pyd", Program),
    ("pyi", Code), ("pyo", Program), ("pyx", Code), ("qcow", DiskImage), ("qcow2", DiskImage), ("r", Code),
    ("ra", Audio), ("raf", Image), ("rar", Archive), ("raw", Image), ("rb", Code), ("rdb", Data),
    ("rej", Temporary), ("rlib", Program), ("rm", Video), ("rmeta", Program), ("rmvb", Video),
    ("rpm", Archive), ("rs", Code), ("rst", Document), ("rtf", Document), ("rw2", Image), ("s", Code),
    ("s3m", Audio), ("safetensors", Data), ("sass", Code), ("sav", Data), ("scala", Code), ("scm", Code),
    ("scss", Code), ("sh", Code), ("shp", Data), ("snap", Archive), ("so", Program),
    ("sparsebundle", DiskImage), ("sparseimage", DiskImage), ("spx", Audio), ("sql", Code),
    ("sqlite", Data), ("sqlite3", Data), ("squashfs", Archive), ("srw", Image), ("sst", Data),
    ("svg", Image), ("svgz", Image), ("swift", Code), ("swo", Temporary), ("swp", Temporary),
    ("tar", Archive), ("tbz", Archive), ("tbz2", Archive), ("tcl", Code), ("temp", Temporary),
    ("tex", Document), ("tf", Code), ("tfrecord", Data), ("tga", Image), ("tgz", Archive), ("tif", Image),
    ("tiff", Image), ("tlz", Archive), ("tmp", Temporary), ("toast", DiskImage), ("toml", Code),
    ("trace", Log), ("ts", Code), ("tsv", Data), ("tsx", Code), ("tta", Audio), ("ttc", Font),
    ("ttf", Font), ("txt", Document), ("txz", Archive), ("tzst", Archive), ("udf", DiskImage), ("v", Code),
    ("vb", Code), ("vdi", DiskImage), ("vhd", DiskImage), ("vhdx", DiskImage), ("vim", Code),
    ("vmdk", DiskImage), ("vmem", DiskImage), ("vob", Video), ("vue", Code), ("wal", Data),
    ("war", Archive), ("wasm", Program), ("wav", Audio), ("webm", Video), ("webp", Image), ("whl", Archive),
    ("wim", DiskImage), ("wma", Audio), ("wmf", Image), ("wmv", Video), ("woff", Font), ("woff2", Font),
    ("wpd", Document), ("wps", Document), ("wv", Audio), ("xapk", Program), ("xar", Archive),
    ("xcf", Image), ("xls", Document), ("xlsb", Document), ("xlsm", Document), ("xlsx", Document),
    ("xm", Audio), ("xml", Code), ("xpi", Archive), ("xpm", Image), ("xsl", Code), ("xslt", Code),
    ("xz", Archive), ("y4m", Video), ("yaml", Code), ("yml", Code), ("z", Archive), ("zig", Code),
    ("zip", Archive), ("zipx", Archive), ("zsh", Code), ("zst", Archive),
];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_table_is_sorted_and_says_nothing_twice() {
        assert!(TABLE.is_sorted_by(|(a, _), (b, _)| a < b));
        for (extension, class) in TABLE {
            let found = Extension::new(extension.as_bytes()).unwrap();
            assert_eq!(found.as_bytes(), extension.as_bytes());
            assert_eq!(Category::of_extension(found), *class);
        }
    }

    #[test]
    fn a_class_is_where_its_discriminant_says() {
        for (index, class) in Category::ALL.into_iter().enumerate() {
            assert_eq!(class as usize, index);
        }
    }

    #[test]
    fn an_extension_is_short_and_follows_something() {
        let extension = |name: &str| Extension::of(name.as_bytes()).map(|it| it.as_bytes().to_vec());
        assert_eq!(extension("Film.MKV"), Some(b"mkv".to_vec()));
        assert_eq!(extension("a.tar.gz"), Some(b"gz".to_vec()));
        for none in
            ["", ".", "..", "..x", "name", "name.", ".bashrc", "backup.001", "a. b", "a.sixteen_letters_"]
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
        ] {
            assert_eq!(Category::of_name(name.as_bytes()), class, "{name}");
        }
        assert_eq!(Category::of_name(b"FILM.mkv"), Category::Video);
        assert_eq!(Category::of_name(b"film"), Category::Other);
    }
}
