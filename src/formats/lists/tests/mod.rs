//! Tests that read lists from memory.

mod broken;
mod round_trip;

use std::cell::{Cell, RefCell};
use std::ops::ControlFlow;

use super::{
    HostNumbers, LayoutError, ListOptions, ListPreset, ListReader, Recognized, RecordReader, RootLabel,
    recognize,
};
use crate::formats::WrittenEntries;
use crate::formats::builder::{Builder, Counts};
use crate::formats::flat::{Flat, Form, Provenance};
use crate::formats::lists::FieldColumn;
use crate::formats::pipe::pipe;
use crate::tree::{DirId, EntryState, Totals, Tree, Walk, hard_links};

/// Result of reading a list.
struct ReadList {
    tree: Tree,
    roots: Vec<Provenance>,
    messages: Vec<String>,
}

/// Reads a list that arrives in chunks of `piece` bytes.
fn read_in(text: &[u8], options: &ListOptions, piece: usize) -> Result<ReadList, String> {
    let tree = Tree::new();
    let mut builder = Builder::new(&tree);
    let result = std::thread::scope(|scope| {
        let (feed, chunks) = pipe();
        scope.spawn(move || {
            let sent = text.chunks(piece.max(1)).try_for_each(|chunk| feed.send(chunk.to_vec()));
            feed.finish(sent);
        });
        let pulse = |_| ControlFlow::Continue(());
        let mut records = RecordReader::new(chunks, &pulse);
        let layout = match recognize(&mut records, options) {
            Ok(Recognized::List(layout)) => layout,
            Ok(Recognized::Snapshot | Recognized::Other) => return Err("another format".to_owned()),
            Err(LayoutError::Settings(reason)) => return Err(reason.to_owned()),
            Err(LayoutError::Input(reason)) => panic!("{reason:?}"),
        };
        let mut list = ListReader::new(layout, options, &tree, 0).map_err(std::borrow::Cow::into_owned)?;
        let counts = Cell::new(Counts::default());
        list.read(&mut records, &mut HostNumbers::from(1), &counts, &RefCell::default())
            .expect("memory can be read");
        Ok(list.write(&mut builder, RootLabel::Prefix(b"")))
    });
    tree.add_linked(builder.finish());
    hard_links::subtract_repeats(&tree);
    let (roots, messages) = result?;
    assert!(tree.status(DirId::TOP).is_complete());
    Ok(ReadList { tree, roots, messages })
}

fn read_with(text: &str, options: &ListOptions) -> ReadList {
    let lists = [1, 7, 1 << 16].map(|piece| read_in(text.as_bytes(), options, piece).expect(text));
    assert!(
        lists.iter().all(|list| list.summary() == lists[0].summary() && list.messages == lists[0].messages)
    );
    let [list, ..] = lists;
    list
}

/// Reads a list that needs no settings.
fn read(text: &str) -> ReadList {
    read_with(text, &ListOptions::default())
}

fn preset(preset: ListPreset) -> ListOptions {
    ListOptions { preset: Some(preset), ..ListOptions::default() }
}

fn fields(words: &[&str]) -> ListOptions {
    let fields = words.iter().map(|word| FieldColumn::parse(word).unwrap()).collect();
    ListOptions { fields, ..ListOptions::default() }
}

fn part(root: &str) -> ListOptions {
    ListOptions { root: Some(root.into()), ..ListOptions::default() }
}

impl ReadList {
    /// Returns one string per entry, sorted: path, kind, own apparent size, and own disk usage in blocks. Paths of
    /// directories end in a slash. If an entry was not read, its error or exclusion replaces the sizes.
    fn summary(&self) -> Vec<String> {
        let mut entries = Vec::new();
        for (id, listing) in Walk::new(&self.tree, DirId::TOP) {
            for (_, entry) in listing.entries() {
                let path = crate::tree::join([&self.tree.path(id)[..], entry.name]);
                let slash = if entry.directory().is_some() { "/" } else { "" };
                let state = match entry.state {
                    EntryState::Known(metadata) => format!("{} {}", metadata.apparent, metadata.blocks),
                    EntryState::Failed(errno) => format!("error {errno}"),
                    EntryState::Excluded(exclusion) => exclusion.name().to_owned(),
                };
                let path = String::from_utf8_lossy(&path).into_owned();
                entries.push(format!("{path}{slash} {} {state}", entry.kind.name()));
            }
        }
        entries.sort();
        entries
    }

    fn good(self) -> Self {
        assert_eq!(self.messages, [""; 0]);
        self
    }

    fn totals(&self) -> Totals {
        self.tree.totals(DirId::TOP)
    }

    fn flat(&self, form: Form) -> String {
        flat(&self.tree, form, &self.roots)
    }
}

fn flat(tree: &Tree, form: Form, provenance: &[Provenance]) -> String {
    let mut out = Vec::new();
    Flat { tree, form, provenance, exclusive: None, written: &WrittenEntries::default() }
        .write(&mut out)
        .unwrap();
    String::from_utf8(out).unwrap()
}

#[test]
fn directories_are_implied_by_paths() {
    let list = read(
        r#"{"path":"/srv/a/b/c","size":1000}
{"path":"/srv/a/d","size":1,"disk":4096}"#,
    )
    .good();
    let expected =
        ["/srv/a/ directory 0 0", "/srv/a/b/ directory 0 0", "/srv/a/b/c file 1000 2", "/srv/a/d file 1 8"];
    assert_eq!(list.summary(), expected);
    assert_eq!(list.totals(), Totals { disk: 1024 + 4096, apparent: 1001, items: 3, errors: 0 });
}

#[test]
fn paths_are_normalized_as_by_the_kernel() {
    let lines =
        ["a", "./b", "c//d", "./e/./f", "g/", "h/."].map(|path| format!(r#"{{"path":"{path}","size":0}}"#));
    let list = read(&lines.join("\n")).good();
    let expected = [
        "./ directory 0 0",
        "./a file 0 0",
        "./b file 0 0",
        "./c/ directory 0 0",
        "./c/d file 0 0",
        "./e/ directory 0 0",
        "./e/f file 0 0",
        "./g/ directory 0 0",
        "./h/ directory 0 0",
    ];
    assert_eq!(list.summary(), expected);
}

#[test]
fn absolute_and_relative_paths_have_roots_side_by_side() {
    let paths = ["/x/a", "b/c", "/y", "../d", "../../e/f", "..", "."];
    let lines = paths.map(|path| format!(r#"{{"path":"{path}","size":1}}"#));
    let list = read(&lines.join("\n")).good();
    let expected = [
        "../ directory 1 1",
        "../../e/ directory 0 0",
        "../../e/f file 1 1",
        "../d file 1 1",
        "./ directory 1 1",
        "./b/ directory 0 0",
        "./b/c file 1 1",
        "// directory 0 0",
        "/x/ directory 0 0",
        "/x/a file 1 1",
        "/y file 1 1",
    ];
    assert_eq!(list.summary(), expected);
}

#[test]
fn a_file_that_contains_entries_is_a_directory_with_its_size() {
    for lines in [["a", "a/b"], ["a/b", "a"]] {
        let text = lines.map(|path| format!(r#"{{"path":"{path}","size":512}}"#)).join("\n");
        let list = read(&text).good();
        assert_eq!(list.summary(), ["a/ directory 512 1", "a/b file 512 1"], "{text}");
        let typed = read(&text.replace("size", "type\":\"file\",\"size"));
        assert_eq!(typed.summary(), list.summary());
        assert_eq!(typed.messages, ["a: not a directory, but other lines list entries inside it"]);
    }
    let link = read(
        "{\"path\":\"r/l\",\"type\":\"l\"}\n{\"path\":\"r/l/x\"}\n{\"path\":\"r/m\",\"excluded\":\"pattern\"}\n{\"path\":\"r/m/y\"}",
    );
    assert_eq!(
        link.messages,
        [
            "r/l: not a directory, but other lines list entries inside it",
            "r/m: excluded, but other lines list entries inside it"
        ]
    );
    assert_eq!(link.summary().len(), 5);
}

#[test]
fn the_first_of_several_lines_of_a_path_counts() {
    let list = read("path,size\nr/a,1\nr/b,2\nr/a,4\nr/d/e,8\nr/d,16\nr/d,32\nr/d/,64\nr//b,128\n");
    assert_eq!(
        list.summary(),
        ["r/ directory 0 0", "r/a file 1 1", "r/b file 2 1", "r/d/ directory 16 1", "r/d/e file 8 1"]
    );
    let expected = [
        "line 7: path listed more than once; only one line counts",
        "line 8: path listed more than once; only one line counts",
        "r/a: path listed more than once; only one line counts",
        "r/b: path listed more than once; only one line counts",
    ];
    assert_eq!(list.messages, expected);
    // The line with type `d` describes the directory, even if a line with the same path precedes it.
    let both = read("path,size,type\nr/a,1,f\nr/a,2,d\n");
    assert_eq!(both.summary(), ["r/ directory 0 0", "r/a/ directory 2 1"]);
    assert_eq!(both.messages, ["r/a: path listed more than once; only one line counts"]);
    let three = read("path,size\nr/a,1\nr/a,2\nr/a/b,4\nr/c,8");
    assert_eq!(three.totals().apparent, 13);
    assert_eq!(three.messages, ["r/a: path listed more than once; only one line counts"]);
}

#[test]
fn unnamed_directories_above_the_only_one_are_part_of_the_root() {
    let names = |text: &str| {
        let list = read(text).good();
        let roots = list.tree.listing(DirId::TOP);
        roots.into_iter().map(|root| String::from_utf8_lossy(root.name).into_owned()).collect::<Vec<_>>()
    };
    assert_eq!(names("path,size\n/a/b/c/d,1\n/a/b/c/e,1"), ["/a/b/c"]);
    assert_eq!(names("path,size\n/a/b,1\n/a/b/c/d,1\n/a/b/c/e,1"), ["/a/b"]);
    assert_eq!(names("path,size\n/a/b/c/d,1\n/a/b,1\n/a/b/c/e,1"), ["/a/b"]);
    assert_eq!(names("path,size\na/b/c,1\n"), ["a/b"]);
    assert_eq!(names("path,size\n../a/c,1\n"), ["../a"]);
    assert_eq!(names("path,size\n/,1\n/a/b,1\n"), ["/"]);
    assert_eq!(names("path,size\nx,1\n"), ["."]);
    // The root of the first two lines would normally be named `/a`. Here, this root must be named `/`, because the
    // third line belongs to a separate root named `/a`.
    let mixed = "path,size,root\n/a/b,1,\n/a,2,\n/a/c,4,/a\n";
    assert_eq!(names(mixed), ["/", "/a"]);
    let list = read(mixed).good();
    assert_eq!(read(&list.flat(Form::Json)).good().summary(), list.summary());
}

#[test]
fn hosts_are_kept_apart_and_links_count_once_on_each() {
    let line = |host: &str, path: &str| {
        format!(
            r#"{{"path":"/r/{path}","root":"/r","host":"{host}","type":"file","disk":1024,"apparent":1000,"device":7,"inode":9,"links":2}}"#
        )
    };
    let one = read(&[line("a", "x"), line("a", "y")].join("\n")).good();
    assert_eq!(one.totals(), Totals { disk: 1024, apparent: 1000, items: 2, errors: 0 });
    let two = read(&[line("a", "x"), line("b", "x"), line("a", "y"), line("b", "d/y")].join("\n")).good();
    assert_eq!(two.totals(), Totals { disk: 2048, apparent: 2000, items: 5, errors: 0 });
    let expected = ["a:/r/ directory 0 0", "a:/r/x file 1000 2", "a:/r/y file 1000 2"];
    assert_eq!(two.summary()[..3], expected);
    let hosts: Vec<_> = two.roots.iter().map(|root| root.host.as_deref()).collect();
    assert_eq!(hosts, [Some("a"), Some("b")]);
    let again = read(&two.flat(Form::Json)).good();
    assert_eq!((again.summary(), again.totals()), (two.summary(), two.totals()));
    assert!(
        read_in(b"{\"path\":\"a\",\"host\":\"\xff\"}", &ListOptions::default(), 9).unwrap().messages[0]
            .contains("host: not UTF-8")
    );
    // Without inode numbers, duke cannot tell that two names belong to the same file, so each name counts.
    let unknown = read("path,size,links\nr/a,512,2\nr/b,512,2\n").good();
    assert_eq!(unknown.totals().disk, 1024);
}

#[test]
fn errors_and_exclusions_are_those_of_the_lines() {
    let list = read(
        r#"{"path":"r/a","type":"unknown","error":"permission denied"}
{"path":"r/b","type":"directory","size":5,"error":"permission denied"}
{"path":"r/c","error":"as never seen before"}
{"path":"r/d","type":"directory","excluded":"caches"}
{"path":"r/e","type":"directory","error":"permission denied"}
{"path":"r/e/f","size":1}"#,
    )
    .good();
    let expected = [
        "r/ directory 0 0",
        "r/a unknown error 13",
        "r/b/ directory 5 1",
        "r/c unknown error 5",
        "r/d directory caches",
        "r/e/ directory 0 0",
        "r/e/f file 1 1",
    ];
    assert_eq!(list.summary(), expected);
    assert_eq!(list.totals().errors, 4);
    let mut failures: Vec<_> =
        list.tree.failures().iter().map(|failure| (list.tree.failure_path(failure), failure.errno)).collect();
    failures.sort();
    let expected = [(&b"r/a"[..], 13), (b"r/b", 13), (b"r/c", 5), (b"r/e", 13)]
        .map(|(path, errno)| (path.to_vec(), errno));
    assert_eq!(failures, expected);
}

#[test]
fn a_list_of_du_has_sums() {
    let text = "1000\ta/b/c\0\x35000\ta/b\0\x37\ta/x\ty\n\0\x39000\ta\0";
    let list = read_with(text, &preset(ListPreset::Du)).good();
    let own: Vec<String> = list.summary();
    assert_eq!(own[1..3], ["a/b/ directory 4000 8", "a/b/c file 1000 2"]);
    assert_eq!(list.totals().apparent, 9000);
    assert_eq!(list.totals().items, 3);
    assert_eq!(list.tree.listing(DirId::TOP).into_iter().next().unwrap().name, b"a");
}

#[test]
fn a_list_of_find_has_blocks_and_any_names() {
    let text = "/r\t4096\t8\t1.5\0/r/a\tb\nc\t10\t16\t-2.5\0/r/d\t4096\t8\t3.0\0/r/d/e\t1\t8\t4\0";
    let list = read_with(text, &preset(ListPreset::Find)).good();
    let expected =
        ["/r/ directory 4096 8", "/r/a\tb\nc file 10 16", "/r/d/ directory 4096 8", "/r/d/e file 1 8"];
    assert_eq!(list.summary(), expected);
    let root = list.tree.listing(DirId::TOP).directories().next().unwrap();
    let mtimes: Vec<i64> =
        list.tree.listing(root).into_iter().map(|entry| super::log::known(&entry).mtime).collect();
    assert_eq!(mtimes, [-2, 3]);
    let cut = read_with(&text[..text.len() - 1], &preset(ListPreset::Find));
    assert_eq!(cut.messages, ["record 4: no NUL at its end; the list may be truncated"]);
    assert_eq!(cut.summary().len(), 3);
    let lines = read_with("./a\t1\t8\t5\n./b\t2\t8\t5\n", &preset(ListPreset::Find)).good();
    assert_eq!(lines.summary(), ["./ directory 0 0", "./a file 1 8", "./b file 2 8"]);
    let typed =
        ListOptions { fields: fields(&["path=1", "size=2", "type=3"]).fields, ..preset(ListPreset::Find) };
    let list = read_with("e\t0\td\0f\t\x31\tl\0", &typed).good();
    assert_eq!(list.summary(), ["./ directory 0 0", "./e/ directory 0 0", "./f symlink 1 1"]);
}

#[test]
fn a_list_of_rclone_is_an_array() {
    let text = r#"[
{"Path":"a","Name":"a","Size":-1,"MimeType":"inode/directory","ModTime":"2026-11-21T08:15:00Z","IsDir":true},
{"Path":"a/b c","Name":"b c","Size":700,"MimeType":"text/plain","ModTime":"2026-11-21T08:15:00.5+01:00","IsDir":false},
{"Path":"doc","Name":"doc","Size":-1,"ModTime":"","IsDir":false,"Hashes":{"md5":"x"}}
]
"#;
    for list in [read_with(text, &preset(ListPreset::Rclone)), read(text), read(&text.replace('\n', "\n\n"))]
    {
        let list = list.good();
        let expected = ["./ directory 0 0", "./a/ directory 0 0", "./a/b c file 700 2", "./doc file 0 0"];
        assert_eq!(list.summary(), expected);
    }
    assert_eq!(
        read(&text.replace("\n]", "")).messages,
        ["truncated after line 4 (the JSON array is not closed)"]
    );
    let empty = read_with("[\n]\n", &preset(ListPreset::Rclone));
    assert_eq!(empty.messages, ["the list has no entries"]);
    assert_eq!(
        read("[{\"path\":\"r/a\",\"size\":1},\n{\"path\":\"r/b\",\"size\":2}]").good().totals().apparent,
        3
    );
}

#[test]
fn storage_classes_are_read_and_written() {
    let objects =
        [("a", r#""Tier":"GLACIER""#), ("b", r#""StorageClass":" x,\u0001y ""#), ("c", r#""tier":null"#)];
    let lines = objects.map(|(name, class)| format!(r#"{{"Path":"{name}","Size":1,"IsDir":false,{class}}}"#));
    let list = read(&lines.join("\n")).good();
    assert_eq!(list.tree.storage_classes().names(), [&b"GLACIER"[..], b"x,\x01y"]);
    let written = |list: &ReadList, form| -> Vec<String> {
        list.flat(form).lines().map(|line| line.rsplit("storage_class").next().unwrap().to_owned()).collect()
    };
    let json = written(&list, Form::Json);
    assert_eq!(json[1..3], [r#"":"GLACIER"}"#, r#"":"x,\u0001y"}"#]);
    assert_eq!(list.flat(Form::Json).matches("storage_class").count(), 2);
    let csv = list.flat(Form::Csv);
    assert!(csv.lines().next().unwrap().ends_with(",scanned_at,storage_class"), "{csv}");
    assert!(csv.contains(",GLACIER\n") && csv.contains(",\"x,\u{fffd}y\"\n"), "{csv}");
    assert_eq!(read(&list.flat(Form::Json)).good().flat(Form::Json), list.flat(Form::Json));
    // If no entry has a storage class, the list has no column for it.
    assert!(!read(r#"{"path":"a","size":1}"#).good().flat(Form::Csv).contains("class"));
    let long = format!(r#"{{"path":"a","tier":"{}"}}"#, "x".repeat(256));
    assert_eq!(read(&long).messages, ["line 1: storage_class: longer than 255 bytes"]);
}

#[test]
fn a_list_of_s3_has_encoded_keys_and_no_header() {
    let text = "\"b\",\"x%2By+z/%C3%BC\",\"513\",\"2026-11-21T08:15:00.000Z\",\"\"\n\"b\",\"x/\",\"0\",\"2026-11-21T08:15:00.000Z\",\"\"\n\"c\",\"k\",\"\",\"\",\"\"\n";
    let list = read_with(text, &preset(ListPreset::S3Inventory)).good();
    let expected = [
        "b/ directory 0 0",
        "b/x+y z/ directory 0 0",
        "b/x+y z/\u{fc} file 513 2",
        "b/x/ directory 0 0",
        "c/ directory 0 0",
        "c/k file 0 0",
    ];
    assert_eq!(list.summary(), expected);
    // A fourth column whose values are not times is ignored.
    let list = read_with("b,k,5,STANDARD\nb,l,6,GLACIER\n", &preset(ListPreset::S3Inventory)).good();
    assert_eq!(list.totals().apparent, 11);
    let part = ListOptions { root: Some(b"b/x+y z".to_vec()), ..preset(ListPreset::S3Inventory) };
    assert_eq!(
        read_with(text, &part).good().summary(),
        ["b/x+y z/ directory 0 0", "b/x+y z/\u{fc} file 513 2"]
    );
}

#[test]
fn columns_are_recognized_or_given() {
    let headers = [
        ("Full Path,FILE_SIZE,KB_ALLOCATED,LastModifiedDate\nr/a,1000,2,2026-11-21\n", vec![]),
        ("\u{feff}path;size;disk\r\nr/a;1000;2048\r\n", vec![]),
        ("path\tsize_bytes\tdisk\nr/a\t1000\t2048\n", vec![]),
        ("r/a,1000,2048\n", vec!["path=1", "size=2", "disk=3"]),
        ("r/a|x|1000|4\n", vec!["path=1", "size=3", "blocks=4"]),
        ("path;size;disk\nr/a;1000;2048\n", vec!["path=1"]),
        ("1000,4,r/a\n", vec!["size=1", "blocks=2", "path=3"]),
        ("1000\tr/a\t4\n", vec!["size=1", "path=2", "blocks=3"]),
        ("path,size,disk\nr/a,1000,2048\n", vec!["path=1"]),
        ("where,what,held\nr/a,1000,2\n", vec!["path=where", "size=2", "disk_kb=held"]),
        ("where,size,disk\nr/a,1000,2048\n", vec!["path=1"]),
        ("where,what,held\nr/a,1000,2\n", vec!["path=1", "size=2", "disk_kb=3"]),
        ("size,disk,name,path\n1000,2048,a,r/a\n", vec![]),
        ("{\"where\":\"r/a\",\"size\":\"1000\",\"disk\":2048}", vec!["path=where"]),
        ("\n {\"Key\":\"r/a\",\"Size\":1000,\"blocks\":4}", vec![]),
    ];
    for (text, given) in headers {
        let list = read_with(text, &fields(&given)).good();
        assert_eq!(list.summary(), ["r/ directory 0 0", "r/a file 1000 4"], "{text}");
    }
    let error = |text: &str, given: &[&str]| read_in(text.as_bytes(), &fields(given), 9).err();
    let asks = Some(
        "cannot tell which column holds the path; use --fields, for example --fields path=1,size=2"
            .to_owned(),
    );
    assert_eq!(error("a,b\n1,2\n", &[]), asks);
    assert_eq!(error("a,b\n1,2\n", &["size=2"]), asks);
    assert!(error("{}", &["path=1"]).unwrap().contains("have names, not numbers"));
    assert!(error("a,b\n1,2\n", &["path=c"]).unwrap().contains("must contain each column"));
    for other in ["", "hello\nworld\n", "[1,2,{}]", "[", "\x00,\x01\n", "name\nx\n"] {
        assert_eq!(error(other, &[]).as_deref(), Some("another format"), "{other}");
    }
    assert!(error("t\t4096\t8\t1.5\0t/a", &[]).unwrap().contains("--format find"));
    assert!(error("{\"schema\":\"duke/1\"}", &[]).unwrap().contains("--ndjson"));
}

#[test]
fn entries_are_not_taken_for_a_header() {
    let all = |text: &str, given: &[&str]| {
        let list = read_with(text, &fields(given));
        (list.summary().join(", "), list.messages)
    };
    // A size that cannot be read is an error of its line, in the first line, too.
    for size in ["-", "12.5", "1,000", "99999999999999999999999"] {
        let (_, messages) = all(&format!("{size}\tr/a\n200\tr/b\n300\tr/c\n"), &["size=1", "path=2"]);
        assert!(
            matches!(&messages[..], [line] if line.starts_with("line 1: size: ")),
            "{size}: {messages:?}"
        );
    }
    // A value may equal the name of a column.
    let (entries, _) = all("file\tr/a\nfile\tr/b\n", &["type=1", "path=2"]);
    assert_eq!(entries, "r/ directory 0 0, r/a file 0 0, r/b file 0 0");
    let list = read_in(b"file,r/\xff\nfile,r/b\n", &fields(&["path=2"]), 9).unwrap().good();
    assert_eq!(list.summary().len(), 3, "a path need not be UTF-8");
    // A first line with the name of a path field in the path column is a header.
    let (entries, _) = all("path\nr/a\n", &["path=1"]);
    assert_eq!(entries, "r/ directory 0 0, r/a file 0 0");
}

#[test]
fn the_separator_divides_all_lines_alike() {
    for (text, given) in [
        ("512\tr/a, b\n512\tr/c\n", vec!["size=1", "path=2"]),
        ("f\tr/a, b\nf\tr/c\n", vec!["path=2"]),
        ("r/a, b\nr/c\n", vec!["path=1"]),
        ("r/c\nr/a, b\n", vec!["path=1"]),
        ("r/a, b;1\nr/c;1\n", vec!["path=1"]),
    ] {
        let summary = read_with(text, &fields(&given)).good().summary().join(" ");
        assert!(summary.contains("r/a, b file") && summary.contains("r/c file"), "{text}: {summary}");
    }
}

#[test]
fn a_part_can_be_read() {
    let text = "path,size\n/srv/a/b,1\n/srv/ab,2\n/srv/a,4\n/other/../a,8\nsrv/a/x,16\n/srv//a/./c/d,32\n/srv/../x,64\n";
    for root in ["/srv/a", "/srv/a/", "//srv/./a"] {
        let list = read_with(text, &part(root));
        assert_eq!(list.totals().apparent, 37, "{root}");
        assert_eq!(list.messages, ["line 8: '..' is allowed only at the start of a relative path"]);
    }
    let relative = read_with(text, &part("./srv"));
    assert_eq!(relative.totals().apparent, 16);
    assert_eq!(read_with(text, &part("/srv/a/b")).summary(), ["/srv/a/b file 1 1"]);
    let none = read_with("path,size\n/a,1\n", &part("/b"));
    assert_eq!(none.messages, ["no entry is inside the directory given with --root"]);
    for wrong in ["", "a/../b"] {
        assert!(read_in(b"path,size\n/a,1\n", &part(wrong), 9).is_err(), "{wrong}");
    }
    let ours = r#"{"path":"/r/a/b","root":"/r","size":5}"#;
    assert_eq!(read_with(ours, &part("/r/a")).good().summary(), ["/r/a/ directory 0 0", "/r/a/b file 5 1"]);
}
