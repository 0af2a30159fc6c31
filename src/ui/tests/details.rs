//! Tests of the info page, of programs started for an entry, and of scans of the parent directory. The tests supply
//! the results of the jobs.

use super::*;
use crate::base::job::JobError;
use crate::fixture::linked_file;
use crate::platform::entry::extents::ExtentLayout;
use crate::platform::entry::probe::Probe;
use crate::platform::fs::mounts::Mount;
use crate::platform::{Attributes, Boundary};
use crate::scan::inspect::Inspection;
use crate::tree::DirId;
use crate::ui::operations::programs::Launch;

/// Returns `true` if the open info page is still waiting for results.
fn is_asking(app: &App<'_>) -> bool {
    app.layers.iter().any(|layer| matches!(layer, Layer::Info(page) if page.info.inspection.is_loading()))
}

/// Supplies a result to the open info page.
fn supply(app: &mut App<'_>, result: Result<Inspection, JobError>) {
    let Some(Layer::Info(page)) = app.layers.last_mut() else { panic!("no page is open") };
    page.info.inspection.supply(result.map(Arc::new));
    let (pool, tree) = (&Pool::new(1).unwrap(), &Arc::new(Tree::new()));
    app.poll(&Sources { pool, tree, basis: None, may_ask_system: false });
}

/// Supplies the open info page with the results of [`inspection`].
pub fn find(app: &mut App<'_>) {
    supply(app, Ok(inspection()));
}

/// Returns results for a file of 12,288 bytes that has three names, two of them in the tree.
pub fn inspection() -> Inspection {
    let attributes = Attributes {
        kind: crate::base::kind::Kind::File,
        blocks: 8,
        apparent: 12_288,
        mtime: 86_400,
        inode: 42,
        device: 0,
        links: 3,
        uid: 0,
        gid: 7,
        mode: 0o100_640,
        border: Boundary::None,
    };
    let probe = Probe {
        attributes,
        accessed: 86_400,
        changed: 86_400,
        born: None,
        traits: Vec::new(),
        target: None,
        mount: None,
    };
    let mount = Mount {
        point: b"/mnt/\x1b[31mred".to_vec(),
        kind: b"ext4".to_vec(),
        source: b"/dev/sda1".to_vec(),
        ..Mount::default()
    };
    Inspection {
        probe: Some(Ok(probe)),
        mount: Some(mount),
        layout: Some(Ok(ExtentLayout { private: 4096, pieces: Some(1), ..ExtentLayout::default() })),
        names: vec![b"/r/music/again".to_vec()],
        names_in_tree: Some(2),
        owner: Some("root".into()),
        group: None,
        is_complete: true,
    }
}

#[test]
fn data_of_the_tree_is_shown_at_once_and_the_rest_as_it_arrives() {
    let tree = home();
    let mut app = finished(&tree);
    app.update(Event::Resize(80, 30));
    press(&mut app, "n j j i");
    assert_eq!(layer(&app), Some(Scope::Details));
    let first = screen(&mut app);
    for text in ["/shown/letter", "file", "1.0 KiB (1,024 bytes)", "700 B (700 bytes)", "Loading"] {
        assert!(first.contains(text), "{text}:\n{first}");
    }
    find(&mut app);
    let then = screen(&mut app);
    for text in [
        "-rw-r----- (0640)",
        "root (0)",
        "7 (unknown)",
        "1970-01-02 00:00",
        "42 on device 0:0",
        "3; 1 not scanned",
        "/shown/music/again",
        "/mnt/\\x1b[31mred (ext4 on /dev/sda1)",
        "sparse: 8.0 KiB of holes",
        "deleting one name frees nothing",
        "has changed since the scan",
    ] {
        assert!(then.contains(text), "{text}:\n{then}");
    }
    assert!(!then.contains("asking") && !is_asking(&app));
    press(&mut app, "i");
    assert_eq!((layer(&app), selected(&app)), (None, "letter".to_owned()));
}

#[test]
fn the_info_page_closes_to_its_view() {
    let tree = Arc::new(home());
    let mut app = finished(&tree);
    for (open, mode) in [("5", None), ("2", None), ("+ Tab", Some(Scope::Marks))] {
        press(&mut app, open);
        work(&mut app, &tree);
        let before = layer(&app);
        press(&mut app, "i");
        assert_eq!(layer(&app), Some(Scope::Details), "{open}");
        find(&mut app);
        press(&mut app, "q");
        assert_eq!((layer(&app), before), (mode, mode), "{open}");
        press(&mut app, "Esc");
    }
}

#[test]
fn a_question_does_not_change_the_info_page_below() {
    let tree = home();
    let mut app = finished(&tree);
    tick(&mut app, 65_000, Some(Outcome::Complete));
    for (open, mode) in [
        ("i", Some(Scope::Details)),
        ("?", Some(Scope::Help)),
        ("E", Some(Scope::FileName)),
        ("/", Some(Scope::Prompt)),
    ] {
        press(&mut app, open);
        assert_eq!(press(&mut app, "Ctrl-C"), []);
        let asked = screen(&mut app);
        assert!(asked.contains("Quit? The scan took") && question(&app).is_some(), "{open}:\n{asked}");
        app.update(Event::Paste("y".into()));
        assert_eq!(press(&mut app, "n"), []);
        assert_eq!((layer(&app), question(&app)), (mode, None), "{open}");
        assert!(!screen(&mut app).contains("Quit?"), "{open}");
        press(&mut app, "Esc");
        assert_eq!(layer(&app), None, "{open}");
    }
}

#[test]
fn results_about_another_entry_are_not_shown() {
    let tree = home();
    let mut app = finished(&tree);
    press(&mut app, "i");
    find(&mut app);
    press(&mut app, "Esc j i");
    assert!(info(&app).info.inspection.value().is_none() && is_asking(&app));
    supply(&mut app, Err(JobError::Panicked("overflow".into())));
    assert!(screen(&mut app).contains("internal error: overflow") && !is_asking(&app));
}

#[test]
fn info_in_an_empty_directory_is_about_the_directory() {
    let tree = home();
    let mut app = finished(&tree);
    press(&mut app, "j j Enter i");
    assert_eq!(path(&app), "/shown/empty");
    assert!(screen(&mut app).contains("Path        /shown/empty"), "{}", screen(&mut app));
}

#[test]
fn programs_get_the_entry_under_the_cursor() {
    let tree = home();
    let mut app = finished(&tree);
    let root = tree.listing(DirId::TOP).directories().next().unwrap();
    assert_eq!(press(&mut app, "b"), [Effect::Start(Launch::Shell(root))]);
    assert_eq!(press(&mut app, "v"), []);
    assert_eq!(app.cx.notice_text().as_deref(), Some("Cannot show in the pager: not a regular file"));
    assert_eq!(press(&mut app, "o"), [Effect::Start(Launch::Open(b"/shown/music".to_vec()))]);
    let view = Effect::Start(Launch::View(root, b"letter".to_vec()));
    assert_eq!(press(&mut app, "n j j v"), [view]);
    press(&mut app, "g j Enter");
    assert_eq!((path(&app).as_str(), press(&mut app, "v o")), ("/shown/empty", vec![]));
}

#[test]
fn scanning_above_asks_and_selects_no_if_marks_would_be_lost() {
    let tree = home();
    let mut app = finished(&tree);
    assert_eq!(press(&mut app, "h"), []);
    assert!(screen(&mut app).contains("Scan /?"), "{}", screen(&mut app));
    assert_eq!(question(&app), Some((Question::Above, Button::Yes)));
    assert_eq!(press(&mut app, "Enter"), [Effect::ScanAbove(b"/".to_vec())]);
    press(&mut app, "Space h");
    assert_eq!(question(&app), Some((Question::Above, Button::No)));
    assert_eq!(press(&mut app, "Enter"), []);
    assert_eq!(press(&mut app, "h y"), [Effect::ScanAbove(b"/".to_vec())]);
}

#[test]
fn nothing_is_above_the_top_and_several_roots() {
    let tree = home();
    let above = |shown: &[u8]| {
        App::new(&tree, vec![(b"/r".to_vec(), shown.to_vec())], &settings(), (80, 12)).cx.above()
    };
    assert_eq!(above(b"/"), None);
    assert_eq!(above(b"/a/b").as_deref(), Some(&b"/a"[..]));
    assert_eq!(above(b"/a/..").as_deref(), Some(&b"/a/../.."[..]));
    let roots = vec![(b"/r".to_vec(), b"/r".to_vec()), (b"/s".to_vec(), b"/s".to_vec())];
    let mut app = App::new(&tree, roots, &settings(), (80, 12));
    press(&mut app, "h");
    assert_eq!((app.cx.above(), layer(&app)), (None, None));
}

#[test]
fn the_cursor_moves_to_the_expected_entry_unless_moved_by_the_user() {
    let growing = Growing::new();
    let mut app = app(&growing.tree);
    app.cx.expect(b"b".to_vec());
    tick(&mut app, 100, None);
    growing.publish(vec![file("a", 2 << 20, 0), file("b", 1 << 20, 0)]);
    tick(&mut app, 3000, None);
    assert_eq!(selected(&app), "b");
    let mut other = super::app(&growing.tree);
    press(&mut other, "g");
    other.cx.expect(b"b".to_vec());
    tick(&mut other, 3000, None);
    assert_eq!(selected(&other), "a");
}

#[test]
fn recorded_trees_cause_no_system_calls_or_programs() {
    let tree = home();
    let recorded = Settings { source_kind: crate::source::SourceKind::Recorded, ..settings() };
    let mut app = App::new(&tree, vec![(b"/r".to_vec(), b"/shown".to_vec())], &recorded, (80, 12));
    tick(&mut app, 1000, Some(Outcome::Complete));
    assert_eq!(press(&mut app, "b v o h"), []);
    assert_eq!((app.cx.notice_text().as_deref(), app.cx.above()), (Some("Already at the scan root"), None));
    press(&mut app, "i");
    assert!(!is_asking(&app));
    assert!(screen(&mut app).contains("Path        /shown/music"), "{}", screen(&mut app));
}

#[test]
fn a_file_with_several_names_shows_the_first() {
    let names = |name| linked_file(name, 7, 2);
    let (tree, _) = build(vec![dir("other", vec![names("again")]), names("song"), file("large", 90_000, 1)]);
    let tree = Arc::new(tree);
    let mut app = finished(&tree);
    press(&mut app, "6");
    work(&mut app, &tree);
    press(&mut app, "i");
    let details = info(&app);
    let record = details.info.entry.record(app.cx.tree).unwrap();
    assert_eq!(record.name, b"song", "as in the row");
}

#[test]
fn the_recorded_size_of_an_unreadable_directory_is_shown() {
    let (tree, root) = build(vec![unreadable("locked"), unreadable("other")]);
    tree.record_size(tree.entry(root, b"locked").unwrap().directory().unwrap(), 5 << 20);
    let mut app = finished(&tree);
    let notes: Vec<_> = app.cx.window.lines.iter().map(|row| row.note.clone().unwrap().text).collect();
    assert_eq!(notes, ["permission denied; size reported by the file system: 5.0 MiB", "permission denied"]);
    assert_eq!(app.cx.window.totals.apparent, 3 * 4096, "it is not a measured size");
    press(&mut app, "i");
    assert!(screen(&mut app).contains("5.0 MiB below this directory, according"));
}

/// Returns a tree with a file of 512 bytes. `class` is the file's storage class, if it has one.
fn with_class(class: Option<&str>) -> Tree {
    use crate::base::kind::Kind;
    use crate::tree::{Entry, EntryState, Metadata};
    let growing = Growing::new();
    let (tree, mut batch) = (&growing.tree, crate::tree::Batch::default());
    let storage_class = class.map(|name| tree.storage_classes().add(name.as_bytes()));
    let state = EntryState::Known(Metadata {
        blocks: 1,
        apparent: 512,
        mtime: 1_700_000_000,
        storage_class,
        ..Metadata::default()
    });
    batch.push(growing.root(), &Entry { name: b"object", kind: Kind::File, state });
    let sealed = batch.seal(tree, growing.root()).unwrap();
    tree.publish(&mut batch, growing.root(), &sealed);
    growing.finish();
    Arc::into_inner(growing.tree).unwrap()
}

#[test]
fn the_list_has_a_column_for_storage_classes_if_the_tree_has_any() {
    let tree = with_class(Some("DEEP_ARCHIVE"));
    let mut app = finished(&tree);
    let text = screen(&mut app);
    assert!(text.contains("Storage") && text.contains("DEEP_ARCHIVE   object"), "{text}");
    app.cx.source_kind = crate::source::SourceKind::Objects;
    press(&mut app, "i");
    let text = screen(&mut app);
    assert!(text.contains(" Storage     DEEP_ARCHIVE") && text.contains(" Modified    2023-11-14"), "{text}");
    press(&mut app, "i");
    // In a narrow window, the column `Storage` is one of the first to be hidden.
    app.update(Event::Resize(50, 12));
    let text = screen(&mut app);
    assert!(!text.contains("Storage") && text.contains("Share"), "{text}");
    // Control characters in the name of a storage class do not reach the terminal.
    let tree = with_class(Some("a\x1b[31m"));
    let text = screen(&mut finished(&tree));
    assert!(text.contains("Storage") && !text.contains('\x1b'), "{text}");
    let tree = with_class(None);
    assert!(!screen(&mut finished(&tree)).contains("Storage"));
}
