//! Tests of the duplicates view.

use super::*;
use crate::delete::Operation;
use crate::duplicates::{
    CompareProgress, Duplicate, DuplicateGroup, DuplicateKind, Duplicates, EqualEntry, SkipReason, Skipped,
};
use crate::platform::FileId;
use crate::platform::entry::contents::ContentState;
use crate::tree::{DirId, EntryId};
use crate::ui::loader::Loader;
use crate::ui::operations::deletion::DeletionRequest;
use crate::ui::sentences::CANNOT_SHARE;
use crate::ui::views::TableAnswer;
use crate::ui::views::duplicates::DuplicateRows;

fn tree() -> Arc<Tree> {
    let album = || vec![file("song", 8_192, 1)];
    let plan = vec![
        dir("new", album()),
        dir("old", album()),
        file("x", 4_096, 30),
        file("y", 4_096, 10),
        file("z", 4_096, 20),
    ];
    Arc::new(build(plan).0)
}

fn entry(tree: &Tree, path: &[&str]) -> EntryId {
    let mut names = path.iter().peekable();
    let mut at = tree.listing(DirId::TOP).directories().next().unwrap();
    loop {
        let entry = EntryId::named(tree, at, names.next().unwrap().as_bytes()).unwrap();
        if names.peek().is_none() {
            return entry;
        }
        at = entry.record(tree).unwrap().directory().unwrap();
    }
}

fn copy(entry: EntryId, mtime: i64, storage: u32) -> Duplicate {
    let (other_names, is_linked_elsewhere, is_shared) = (vec![], false, false);
    Duplicate { entry, other_names, is_linked_elsewhere, disk: 4_096, mtime, storage, is_shared }
}

/// Returns a set of identical files with made-up inode numbers.
fn equal(names: Vec<EntryId>) -> Vec<EqualEntry> {
    let state = |inode| {
        let id = FileId { device: 0, inode };
        ContentState { id, size: 4_096, disk: 4_096, links: 1, modified: (0, 0), changed: (0, 0) }
    };
    (1..).zip(names).map(|(inode, entry)| EqualEntry { entry, state: state(inode) }).collect()
}

/// Returns the result of a complete search for duplicates in the tree from [`tree`].
fn duplicates(tree: &Tree) -> Duplicates {
    let found = |names: &[&[&str]]| names.iter().map(|name| entry(tree, name)).collect::<Vec<_>>();
    let group = |kind, copies| DuplicateGroup { kind, size: 8_192, wasted: 8_192, copies };
    let files = found(&[&["x"], &["y"], &["z"]]);
    let directories = found(&[&["new"], &["old"]]);
    let songs = found(&[&["new", "song"], &["old", "song"]]);
    let copies = vec![copy(files[0], 30, 0), copy(files[1], 10, 1), copy(files[2], 20, 2)];
    let albums = vec![copy(directories[0], 2, 0), copy(directories[1], 1, 1)];
    let groups =
        vec![group(DuplicateKind::Directory { files: 1 }, albums), group(DuplicateKind::File, copies)];
    let progress = CompareProgress { is_complete: true, ..CompareProgress::default() };
    let sets = vec![equal(songs), equal(files)];
    Duplicates { groups, sets, progress, ..Duplicates::default() }
}

fn supply(app: &mut App<'_>, tree: &Arc<Tree>, found: Duplicates) {
    let rows = DuplicateRows::new(Arc::new(found), Units::Binary);
    app.cx.views.tables[0].rows.supply(Ok(TableAnswer::new(rows)));
    work(app, tree);
}

/// Opens the duplicates view with a complete result.
fn opened(tree: &Arc<Tree>) -> App<'_> {
    opened_with(tree, duplicates(tree))
}

fn opened_with(tree: &Arc<Tree>, found: Duplicates) -> App<'_> {
    let mut app = finished(tree);
    press(&mut app, "w");
    supply(&mut app, tree, found);
    app
}

fn labels(app: &App<'_>) -> Vec<String> {
    app.cx.views.page.iter().flat_map(|page| &page.lines).map(|line| line.label.clone()).collect()
}

fn marked(app: &App<'_>) -> Vec<String> {
    let marks = app.cx.marks.in_order(app.cx.tree);
    marks.iter().map(|((_, name), _)| String::from_utf8_lossy(name).into_owned()).collect()
}

#[test]
fn groups_unfold_to_their_copies() {
    let tree = tree();
    let mut app = opened(&tree);
    assert_eq!(labels(&app).len(), 2);
    press(&mut app, "G Enter");
    assert_eq!(labels(&app).len(), 5);
    assert!(labels(&app)[2].ends_with(" x") && screen(&mut app).contains("3 files, 8.0 KiB each"));
    press(&mut app, "j Enter");
    assert_eq!(selected(&app), "x");
}

#[test]
fn all_copies_but_the_newest_or_the_oldest_are_marked() {
    let tree = tree();
    let mut app = opened(&tree);
    press(&mut app, ">");
    assert_eq!(marked(&app), ["old"]);
    press(&mut app, ">");
    assert_eq!(marked(&app), ["old", "y", "z"]);
    press(&mut app, "G <");
    assert_eq!(marked(&app), ["old", "x", "z"], "the oldest one is unmarked");
}

#[test]
fn keeping_a_directory_without_other_copies_changes_no_marks() {
    let tree = tree();
    let skipped = vec![Skipped { entry: entry(&tree, &["x"]), reason: SkipReason::Special }];
    let mut app = opened_with(&tree, Duplicates { skipped, ..duplicates(&tree) });
    press(&mut app, ">");
    press(&mut app, "G Enter G .");
    assert_eq!(marked(&app), ["old"]);
    assert!(status_line(&mut app, 200).contains("Not a copy"));
}

#[test]
fn hints_about_copies_are_shown_only_on_copies() {
    let tree = tree();
    let skipped = vec![Skipped { entry: entry(&tree, &["x"]), reason: SkipReason::Special }];
    let mut app = opened_with(&tree, Duplicates { skipped, can_share: true, ..duplicates(&tree) });
    let words = [" > mark older ", " . mark others ", " X share data "];
    let mut hinted = |keys: &str| {
        press(&mut app, keys);
        let status_line = status_line(&mut app, 200);
        words.map(|word| status_line.contains(word))
    };
    assert_eq!(hinted("g"), [true, false, true], "a group");
    assert_eq!(hinted("Enter j"), [true; 3], "a copy");
    assert_eq!(hinted("G"), [false; 3], "the heading of the other files");
    assert_eq!(hinted("Enter j"), [false; 3], "a file that was not compared");
    let mut app = opened(&tree);
    assert!(!status_line(&mut app, 200).contains(words[2]), "the file system does not let files share data");
}

#[test]
fn all_copies_but_those_of_a_directory_are_marked() {
    let plan = vec![
        dir("keep", vec![file("a", 4_096, 1), dir("deep", vec![file("b", 4_096, 1)])]),
        dir("old", vec![file("a", 4_096, 2), file("b", 4_096, 2), file("c", 4_096, 2)]),
        file("c", 4_096, 3),
    ];
    let tree = Arc::new(build(plan).0);
    let group = |paths: [&[&str]; 2]| {
        let copies = paths.iter().map(|path| copy(entry(&tree, path), 1, 0)).collect();
        DuplicateGroup { kind: DuplicateKind::File, size: 4_096, wasted: 4_096, copies }
    };
    let groups = vec![
        group([&["keep", "a"], &["old", "a"]]),
        group([&["keep", "deep", "b"], &["old", "b"]]),
        group([&["c"], &["old", "c"]]),
    ];
    let progress = CompareProgress { is_complete: true, ..CompareProgress::default() };
    let mut app = opened_with(&tree, Duplicates { groups, progress, ..Duplicates::default() });
    press(&mut app, ".");
    assert!(marked(&app).is_empty() && app.cx.notice_text().unwrap().starts_with("Not a copy"));
    press(&mut app, "Enter j .");
    assert_eq!(marked(&app), ["a", "b"], "in all groups with a copy in the directory, at any depth");
    let directories: Vec<DirId> = app.cx.marks.in_order(&tree).iter().map(|((id, _), _)| *id).collect();
    assert!(directories.iter().all(|id| tree.name(*id) == b"old"));
    assert!(app.cx.notice_text().unwrap().starts_with("Marked 2 entries outside "));
    press(&mut app, "G Enter j .");
    assert!(app.cx.notice_text().unwrap().starts_with("No copies outside "));
    assert_eq!(marked(&app), ["a", "b"], "all copies are inside");
}

#[test]
fn a_directory_that_is_itself_a_copy_is_kept() {
    let tree = tree();
    let mut app = opened(&tree);
    press(&mut app, "Enter j .");
    assert_eq!(marked(&app), ["old"]);
    let notice = app.cx.notice_text().unwrap();
    assert!(notice.starts_with("Marked 1 entry outside ") && notice.ends_with("/new"), "{notice}");
    press(&mut app, "j .");
    assert_eq!(marked(&app), ["new"], "the marks of the copy that is kept are removed");
}

#[test]
fn a_group_cannot_be_marked_as_a_whole() {
    let tree = tree();
    let mut app = opened(&tree);
    press(&mut app, "Space");
    assert!(marked(&app).is_empty());
}

#[test]
fn the_last_copy_is_not_deleted() {
    let tree = tree();
    let mut app = opened(&tree);
    press(&mut app, "Enter j Space Space");
    assert_eq!(marked(&app), ["new", "old"]);
    for key in ["d", "D", "H"] {
        press(&mut app, key);
        assert!(layer(&app).is_none(), "{key} is refused");
        assert_eq!(app.cx.notice_text().unwrap(), "Cannot delete all copies of a file; keep one copy");
    }
    press(&mut app, "k Space d");
    assert_eq!((marked(&app), layer(&app)), (vec!["new".to_owned()], Some(Scope::Confirm)));
}

#[test]
fn marks_of_copies_keep_the_last_copy_in_every_view() {
    let tree = tree();
    let mut app = opened(&tree);
    press(&mut app, "G > Esc");
    assert!(app.cx.views.tables.is_empty());
    assert_eq!(marked(&app), ["y", "z"]);
    // The remaining copy `x` is now marked in the list, so all copies are marked. Deleting all of them is refused,
    // even though the duplicates view is closed.
    app.cx.go_to_entry(entry(&tree, &["x"]));
    press(&mut app, "Space D");
    assert_eq!(marked(&app), ["x", "y", "z"]);
    assert!(layer(&app).is_none());
    assert_eq!(app.cx.notice_text().unwrap(), "Cannot delete all copies of a file; keep one copy");
    app.cx.go_to_entry(entry(&tree, &["x"]));
    press(&mut app, "Space D");
    assert_eq!(layer(&app), Some(Scope::Confirm), "one copy is left");
}

#[test]
fn without_marks_from_the_view_files_are_deleted_as_usual() {
    let tree = tree();
    let mut app = opened(&tree);
    press(&mut app, "G Enter j Space k Space Esc");
    assert!(marked(&app).is_empty());
    for name in ["x", "y", "z"] {
        app.cx.go_to_entry(entry(&tree, &[name]));
        press(&mut app, "Space");
    }
    press(&mut app, "D");
    assert_eq!((marked(&app).len(), layer(&app)), (3, Some(Scope::Confirm)));
}

fn asked_to_share(app: &App<'_>) -> Option<(u64, u64)> {
    match question(app)?.0 {
        Question::Share(sharing) => Some((sharing.files(), sharing.disk())),
        other => panic!("{other:?}"),
    }
}

#[test]
fn copies_are_shared_after_a_question() {
    let tree = tree();
    let mut app = opened(&tree);
    press(&mut app, "X");
    assert_eq!(question(&app), None);
    assert_eq!(app.cx.notice_text().as_deref(), Some(CANNOT_SHARE), "no file system here shares data");
    let mut app = opened_with(&tree, Duplicates { can_share: true, ..duplicates(&tree) });
    press(&mut app, "X");
    assert_eq!(asked_to_share(&app), Some((1, 4_096)), "one song of the two albums");
    assert!(screen(&mut app).contains("Make 1 file (4.0 KiB) share its data with its copy?"));
    press(&mut app, "n G X");
    assert_eq!(asked_to_share(&app), Some((2, 8_192)));
    read(&mut app);
    let effects = press(&mut app, "y");
    let [Effect::Deletion(DeletionRequest::Begin(Operation::Share(sharing), _))] = effects.as_slice() else {
        panic!("{effects:?}")
    };
    assert_eq!(sharing.files(), 2);
}

#[test]
fn marked_copies_are_shared_with_an_unmarked_one() {
    let tree = tree();
    let mut app = opened_with(&tree, Duplicates { can_share: true, ..duplicates(&tree) });
    press(&mut app, "G Enter j Space k k k X");
    assert_eq!(marked(&app), ["x"]);
    assert_eq!(asked_to_share(&app), Some((1, 4_096)));
}

#[test]
fn progress_is_shown_until_the_search_is_complete() {
    let tree = tree();
    let mut app = finished(&tree);
    press(&mut app, "w");
    let progress = CompareProgress { candidates: 40, compared: 12, read: 2_048, is_complete: false };
    let rows = DuplicateRows::new(Arc::new(Duplicates { progress, ..Duplicates::default() }), Units::Binary);
    let shown = Loader::default().showing(Some(TableAnswer::new(rows)));
    app.cx.views.tables[0].rows = shown;
    app.cx.collect();
    assert!(screen(&mut app).contains("compared 12 of 40 files, read 2.0 KiB"));
    press(&mut app, "Esc");
    assert!(app.cx.views.tables.is_empty());
}

#[test]
fn the_search_waits_for_the_end_of_the_scan() {
    let tree = tree();
    let mut app = app(&tree);
    press(&mut app, "w");
    assert!(app.cx.views.tables.is_empty() && app.cx.notice_text().unwrap().starts_with("Scan in progress"));
}

#[test]
fn sizes_are_always_disk_usage() {
    let tree = tree();
    let mut app = opened(&tree);
    press(&mut app, "a");
    assert!(!app.cx.views.tables[0].rows.is_loading(), "the search is not repeated");
}
