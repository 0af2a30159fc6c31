//! Tests of the df view with made-up numbers, because unit tests make no system calls.

use super::*;
use crate::base::format::Units;
use crate::df::rows::{Subject, ledger};
use crate::df::{
    Account, Capacity, FileSystemUsage, NotScanned, Note, ProcessAccess, Report, Scanned, Subvolume, Through,
    Unexplained, UnlinkedFile, Volume,
};
use crate::platform::process::open_files::Holder;
use crate::ui::views::{TableAnswer, df, subvolumes};

fn space(used: u64, scanned: u64) -> FileSystemUsage {
    let holders = vec![Holder { pid: 612, name: b"app\x1b[31m".to_vec(), through: Through::Descriptor }];
    let path = b"/srv/log\n".to_vec();
    let file = UnlinkedFile { device: 1, mount: None, inode: 7, disk: Some(30), path, holders };
    let capacity =
        Capacity { size: 1000, free: 1000 - used, available: 100, unit: 10, inodes: 9, inodes_free: 4 };
    FileSystemUsage {
        volume: Volume { path: "/srv".into(), mount: None, capacity: Ok(capacity), outside: vec![] },
        scanned: Scanned { disk: scanned, entries: 3, unreadable: 1, excluded: 0, is_partial: false },
        covered: vec![],
        deleted: vec![file],
        access: ProcessAccess::Own,
        parts: vec![],
        notes: vec![],
    }
}

fn account(spaces: Vec<FileSystemUsage>) -> Arc<Account> {
    let report = Report { spaces };
    Arc::new(Account { rows: ledger(&report, Units::Binary), report })
}

/// Opens the df view with the numbers in `account`.
fn opened<'t>(tree: &'t Arc<Tree>, account: &Arc<Account>) -> App<'t> {
    let mut app = finished(tree);
    work(&mut app, tree);
    press(&mut app, "0");
    let rows = df::DfRows { account: Arc::clone(account), units: Units::Binary };
    app.cx.views.tables[0].rows.supply(Ok(TableAnswer::new(rows)));
    work(&mut app, tree);
    app
}

fn labels(app: &App<'_>) -> Vec<String> {
    app.cx.views.page.iter().flat_map(|page| &page.ledger).map(|row| row.label.clone()).collect()
}

#[test]
fn enter_explains_a_line_and_escape_returns() {
    let tree = Arc::new(home());
    let mut app = opened(&tree, &account(vec![space(500, 400)]));
    let lines = labels(&app);
    let file = lines.iter().position(|label| label == "/srv/log\\n").expect("the file has a line");
    press(&mut app, &["j"].repeat(file).join(" "));
    press(&mut app, "Enter");
    let words = labels(&app).join(" ");
    assert!(words.contains("app\\x1b[31m (process 612) has it open") && words.contains("Restart"), "{words}");
    press(&mut app, "h");
    assert_eq!(labels(&app), lines);
    press(&mut app, "q");
    assert!(app.cx.views.page.is_none());
}

#[test]
fn lines_are_clicked_as_rows_are() {
    let tree = Arc::new(home());
    let mut app = opened(&tree, &account(vec![space(500, 400)]));
    let lines = labels(&app);
    // There are three lines above the first row.
    mouse::click(&mut app, (20, 5), 1000);
    assert_eq!(app.cx.views.page.as_ref().map(|page| page.index), Some(2));
    mouse::click(&mut app, (20, 5), 1100);
    assert_ne!(labels(&app), lines, "twice explains");
}

#[test]
fn every_line_has_words_at_any_width() {
    let tree = Arc::new(home());
    let account = account(vec![space(500, 400), space(10, 10)]);
    for row in 0..account.rows.len() {
        let mut app = opened(&tree, &account);
        press(&mut app, &[vec!["j"; row], vec!["Enter"]].concat().join(" "));
        for columns in [0, 1, 12, 40, 80, 200] {
            app.update(Event::Resize(columns, 100));
            let lines = labels(&app);
            assert!(!lines.is_empty(), "{:?}", account.rows[row]);
            let room = usize::from(columns).saturating_sub(4).max(8);
            assert!(lines.iter().all(|line| crate::base::text::width(line) <= room), "{lines:?}");
        }
    }
}

#[test]
fn the_lines_below_used_add_up_to_it() {
    assert_eq!(space(500, 400).unexplained(), Some(Unexplained::Missing(70)));
    assert_eq!(space(500, 480).unexplained(), Some(Unexplained::Shared(10)));
    assert_eq!(space(500, 479).unexplained(), Some(Unexplained::Missing(0)), "sizes are rounded");
    let mut part = space(500, 400);
    part.volume.outside.push(NotScanned::Above("/".into()));
    let rows = ledger(&Report { spaces: vec![part] }, Units::Binary);
    let rest = rows.iter().find(|row| row.subject == Subject::Unexplained).expect("there is one");
    assert!(rest.label.starts_with("unexplained"), "{}", rest.label);
}

#[test]
fn lines_of_the_accounting_cannot_be_marked() {
    let tree = Arc::new(home());
    let mut app = opened(&tree, &account(vec![space(500, 400)]));
    press(&mut app, "Space + * V j V");
    assert_eq!(app.cx.marks().count(), 0);
    assert_eq!(app.cx.views.page.as_ref().map(|page| page.table), Some(&df::TABLE));
}

#[test]
fn the_list_of_subvolumes_does_not_act_on_marked_entries() {
    let tree = Arc::new(home());
    let notes = vec![Note::Subvolumes(vec![Subvolume { id: 256, ..Subvolume::default() }])];
    let spaces = vec![FileSystemUsage { notes, ..space(500, 400) }];
    let mut app = finished(&tree);
    press(&mut app, "Enter Space");
    assert_eq!(app.cx.marks().count(), 1);
    press(&mut app, "0");
    let rows = df::DfRows { account: account(spaces), units: Units::Binary };
    app.cx.views.tables[0].rows.supply(Ok(TableAnswer::new(rows)));
    work(&mut app, &tree);
    // The last line is the note about subvolumes.
    press(&mut app, "G Enter");
    assert_eq!(app.cx.views.page.as_ref().map(|page| page.table), Some(&subvolumes::TABLE));
    assert!(!screen(&mut app).contains("delete 1"), "no hint for a key that does nothing");
    for key in ["d", "D", "H", "p"] {
        press(&mut app, key);
        assert!(layer(&app).is_none(), "{key}");
        let notice = app.cx.notice_text().unwrap();
        assert!(notice.contains("does nothing here"), "{key}: {notice}");
    }
}

#[test]
fn a_narrow_window_tells_that_the_notes_are_missing() {
    let tree = Arc::new(home());
    let mut app = opened(&tree, &account(vec![space(500, 400)]));
    assert!(resized(&mut app, 40, 10)[2].ends_with('…'), "{}", screen(&mut app));
    assert!(!resized(&mut app, 80, 24)[2].contains('…'), "{}", screen(&mut app));
}
