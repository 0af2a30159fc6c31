//! Tests of deletion, on trees in memory: questions, confirmations and notices.

use super::*;
use crate::base::job::JobError;
use crate::delete::script::Written;
use crate::delete::{
    Blocked, DeleteScope, DeleteWarning, Failure, Failures, Operation, OperationKind, Preview, Reason,
    Report, Selection,
};
use crate::ui::layers::confirm_delete::ConfirmStep;
use crate::ui::operations::deletion::{DeletionMessage, DeletionRequest};
use crate::ui::options::DeleteMode;
use crate::ui::progress::RescanMessage;

fn safe(tree: &Tree, policy: DeletePolicy) -> App<'_> {
    let settings = Settings { policy, ..settings() };
    let mut app = App::new(tree, vec![(b"/r".to_vec(), b"/shown".to_vec())], &settings, (80, 12));
    tick(&mut app, 1000, Some(Outcome::Complete));
    app
}

fn previewed(app: &mut App<'_>, preview: Preview) {
    app.update(Event::Deletion(DeletionMessage::Previewed(Arc::new(preview))));
}

fn reported(app: &mut App<'_>, report: Report) -> Option<Effect> {
    app.update(Event::Deletion(DeletionMessage::Reported(Arc::new(report))))
}

fn end_rescan(app: &mut App<'_>) {
    let again = RescanMessage { progress: Progress::default(), outcome: Some(Outcome::Complete) };
    app.update(Event::Rescan(again));
}

/// Opens the deletion dialog with a complete preview.
pub fn asked(app: &mut App<'_>) -> Vec<Effect> {
    let effects = press(app, "g d");
    previewed(app, Preview { files: 2, least: 1, most: 2, is_complete: true, ..Preview::default() });
    effects
}

/// Opens the deletion dialog for a changed entry.
pub fn changed(app: &mut App<'_>) -> Vec<Effect> {
    let effects = press(app, "g d");
    previewed(app, Preview { changed: vec![0], is_complete: true, ..Preview::default() });
    effects
}

/// Opens the deletion dialog at the step in which the user must type a name.
pub fn typing(app: &mut App<'_>) -> Vec<Effect> {
    press(app, "g d");
    let warnings = vec![DeleteWarning::UserHome(b"/home/x".to_vec())];
    previewed(app, Preview { warnings, is_complete: true, ..Preview::default() });
    press(app, "y")
}

/// Opens the list of failures, with 40 entries.
pub fn failed(app: &mut App<'_>) -> Vec<Effect> {
    asked(app);
    let effects = press(app, "y");
    let failure = |name: &str| Failure { path: format!("/r/{name}").into(), reason: Reason::System(13) };
    let first = (0..40).map(|number| failure(&number.to_string())).collect();
    reported(app, Report { failures: Failures { count: 40, first }, is_over: true, ..Report::default() });
    end_rescan(app);
    assert_eq!(layer(app), Some(Scope::Failures));
    press(app, "Ctrl-D");
    effects
}

#[test]
fn the_status_line_shows_the_position_in_the_list_of_failures() {
    let tree = home();
    let mut app = finished(&tree);
    failed(&mut app);
    press(&mut app, "g j");
    assert!(screen(&mut app).contains("2 of 40"), "{}", screen(&mut app));
}

/// Moves an entry to the trash.
pub fn trashed(app: &mut App<'_>) {
    trashed_in(app, "/trash");
}

fn trashed_in(app: &mut App<'_>, trash: &str) {
    let effects = press(app, "g D");
    let [Effect::Deletion(DeletionRequest::Preview(selection, _))] = effects.as_slice() else {
        panic!("{effects:?}")
    };
    let from = selection.groups[0].clone();
    previewed(app, Preview { is_complete: true, ..Preview::default() });
    press(app, "y");
    let moved = crate::delete::Trashed { from, trash: trash.into(), name: b"x".to_vec() };
    reported(app, Report { entries: 1, trashed: vec![moved], is_over: true, ..Report::default() });
    end_rescan(app);
}

#[test]
fn the_trash_of_another_mount_is_named() {
    for (trash, named) in [
        ("/home/me/.local/share/Trash", "Moved 1 entry to the trash (U restores it)"),
        ("/Users/me/.Trash", "Moved 1 entry to the trash (U restores it)"),
        ("/mnt/disk/.Trash-1000", "Moved 1 entry to /mnt/disk/.Trash-1000 (U restores it)"),
        ("/mnt/disk/.Trash/1000", "Moved 1 entry to /mnt/disk/.Trash/1000 (U restores it)"),
    ] {
        let tree = home();
        let mut app = finished(&tree);
        trashed_in(&mut app, trash);
        assert!(app.cx.notice_text().unwrap().starts_with(named), "{:?}", app.cx.notice_text());
    }
}

fn selection(effects: &[Effect]) -> Arc<Selection> {
    match effects {
        [.., Effect::Deletion(DeletionRequest::Preview(selection, _))] => Arc::clone(selection),
        other => panic!("{other:?}"),
    }
}

fn chosen(selection: &Selection) -> Vec<String> {
    selection
        .items()
        .map(|(group, item)| String::from_utf8_lossy(&group.path_of(item)).into_owned())
        .collect()
}

fn is_begun(effects: &[Effect]) -> bool {
    matches!(effects, [Effect::Deletion(DeletionRequest::Begin(..))])
}

#[test]
fn only_a_yes_confirms() {
    let tree = home();
    for keys in ["Enter", "Esc", "n", "q", "Ctrl-C", "Right Right Enter", "Tab Left Enter"] {
        let mut app = finished(&tree);
        asked(&mut app);
        let effects = press(&mut app, keys);
        assert_eq!(effects, [Effect::Deletion(DeletionRequest::StopPreview)], "{keys}");
        assert_eq!(layer(&app), None, "{keys}");
    }
    for keys in ["d", "D", "Space", "d d d", "j", "H"] {
        let mut app = finished(&tree);
        asked(&mut app);
        assert_eq!(press(&mut app, keys), [], "{keys}");
        app.update(Event::Paste("y\ny\r".into()));
        assert_eq!(layer(&app), Some(Scope::Confirm), "{keys}");
    }
    for keys in ["y", "Right Enter", "Left Enter", "Tab Enter"] {
        let mut app = finished(&tree);
        asked(&mut app);
        assert!(is_begun(&press(&mut app, keys)), "{keys}");
    }
}

#[test]
fn nothing_is_confirmed_before_the_guards_are_known() {
    let tree = home();
    let mut app = finished(&tree);
    press(&mut app, "d");
    assert_eq!(press(&mut app, "y Right"), []);
    assert_eq!(layer(&app), Some(Scope::Confirm));
    previewed(
        &mut app,
        Preview { blocked: vec![(0, Blocked::Home)], is_complete: true, ..Preview::default() },
    );
    assert_eq!(press(&mut app, "y Right y"), []);
    assert_eq!(press(&mut app, "Enter"), [Effect::Deletion(DeletionRequest::StopPreview)]);
    // An incomplete preview is enough for a confirmation, because some directories take minutes to read.
    press(&mut app, "d");
    previewed(&mut app, Preview::default());
    assert!(is_begun(&press(&mut app, "y")));
}

#[test]
fn commands_apply_to_the_marks_or_the_entry_under_the_cursor() {
    let tree = home();
    let mut app = finished(&tree);
    assert_eq!(chosen(&selection(&press(&mut app, "j d"))), ["/r/pictures"]);
    press(&mut app, "Esc g Enter Space h g j Space");
    let effects = press(&mut app, "g D");
    assert_eq!(chosen(&selection(&effects)), ["/r/pictures", "/r/music/song"]);
    // A marked entry in a marked directory is deleted with the directory.
    let effects = press(&mut app, "Esc g Space d");
    assert_eq!(chosen(&selection(&effects)), ["/r/music", "/r/pictures"]);
    // In the list of marks, too, `d` deletes all marked entries.
    let effects = press(&mut app, "Esc Tab d");
    assert_eq!(chosen(&selection(&effects)), ["/r/music", "/r/pictures"]);
    // An entry without metadata cannot be deleted.
    let mut app = finished(&tree);
    assert_eq!(press(&mut app, "G d"), []);
    assert!(app.cx.notice.is_some());
}

#[test]
fn commands_apply_to_the_row_of_a_view_if_it_is_an_entry() {
    let tree = Arc::new(home());
    let mut app = finished(&tree);
    press(&mut app, "2");
    work(&mut app, &tree);
    assert_eq!(chosen(&selection(&press(&mut app, "d"))), ["/r/music/song"]);
    press(&mut app, "Esc 3");
    work(&mut app, &tree);
    assert_eq!(press(&mut app, "d"), [], "a type is no entry");
}

#[test]
fn deleting_contents_is_offered_for_one_directory() {
    let tree = home();
    let mut app = finished(&tree);
    asked(&mut app);
    let again = selection(&press(&mut app, "e"));
    assert_eq!((again.scope, chosen(&again)), (DeleteScope::Content, vec!["/r/music".to_owned()]));
    previewed(&mut app, Preview { is_complete: true, ..Preview::default() });
    let effects = press(&mut app, "y");
    let [Effect::Deletion(DeletionRequest::Begin(begun, _))] = effects.as_slice() else {
        panic!("{effects:?}")
    };
    assert_eq!(begun.kind(), OperationKind::Empty);
    let mut app = finished(&tree);
    press(&mut app, "+");
    asked(&mut app);
    assert_eq!(press(&mut app, "e"), [], "of several only some may be directories");
}

#[test]
fn a_name_is_typed_over_a_size_or_for_a_home() {
    let tree = home();
    for (over, warnings) in [(1000, vec![]), (1 << 40, vec![DeleteWarning::UserHome(b"/home/x".to_vec())])] {
        let mut app = safe(&tree, DeletePolicy { typed_over: over, ..DeletePolicy::default() });
        press(&mut app, "d");
        previewed(&mut app, Preview { warnings, is_complete: true, ..Preview::default() });
        assert_eq!(press(&mut app, "y"), []);
        assert_eq!(press(&mut app, "Enter y Enter"), [], "the letters are letters");
        app.update(Event::Paste("music".into()));
        press(&mut app, "Bksp");
        assert_eq!(press(&mut app, "Enter"), [], "what is pasted is not typed");
        write(&mut app, "musid");
        press(&mut app, "Bksp");
        write(&mut app, "c");
        assert!(is_begun(&press(&mut app, "Enter")));
    }
    let mut app = finished(&tree);
    typing(&mut app);
    assert_eq!(press(&mut app, "Esc"), [Effect::Deletion(DeletionRequest::StopPreview)]);
}

#[test]
fn letters_typed_before_the_field_appears_are_not_accepted() {
    let tree = home();
    let mut app = finished(&tree);
    typing(&mut app);
    assert!(screen(&mut app).contains("│   wait… "), "{}", screen(&mut app));
    burst(&mut app, "m");
    assert!(screen(&mut app).contains("│   wait… "), "{}", screen(&mut app));
    read(&mut app);
    let lines = screen(&mut app);
    assert!(lines.contains("│ >   ") && !lines.contains("wait"), "nothing was typed\n{lines}");
    write(&mut app, "mu");
    assert!(screen(&mut app).contains("│ > mu "), "{}", screen(&mut app));
}

/// Deleting files that are compressed or share space may free less than their disk usage.
#[test]
fn a_deletion_says_up_to_where_less_may_be_freed() {
    let tree = home();
    for (least, freed) in
        [(4096, "Deleted 1 entry, freed 8.0 KiB"), (0, "Deleted 1 entry, freed up to 8.0 KiB")]
    {
        let mut app = finished(&tree);
        press(&mut app, "g d");
        previewed(&mut app, Preview { least, most: 4096, is_complete: true, ..Preview::default() });
        press(&mut app, "y");
        reported(&mut app, Report { entries: 1, freed: 8192, is_over: true, ..Report::default() });
        end_rescan(&mut app);
        assert_eq!(app.cx.notice_text().as_deref(), Some(freed));
    }
}

#[test]
fn a_deletion_names_no_size_where_more_may_be_freed() {
    let tree = home();
    let mut app = finished(&tree);
    press(&mut app, "g d");
    let preview =
        Preview { least: 4096, most: 4096, is_unbounded: true, is_complete: true, ..Preview::default() };
    previewed(&mut app, preview);
    assert!(screen(&mut app).contains("frees at least 4.0 KiB "), "{}", screen(&mut app));
    press(&mut app, "y");
    let gained = Some(8 << 20);
    reported(&mut app, Report { entries: 1, freed: 4096, gained, is_over: true, ..Report::default() });
    end_rescan(&mut app);
    assert_eq!(app.cx.notice_text().as_deref(), Some("Deleted 1 entry (free space +8.0 MiB)"));
}

#[test]
fn the_question_counts_the_items_that_it_does_not_name() {
    let names = ["a", "b", "c", "d", "e", "f", "g"];
    let files = names.iter().map(|name| file(&format!("file-{name}"), 1 << 20, 0)).collect();
    let (tree, _) = build(files);
    let mut app = finished(&tree);
    press(&mut app, "* g d");
    previewed(&mut app, Preview { files: 7, least: 1, most: 2, is_complete: true, ..Preview::default() });
    for (lines, named) in [(6, 0), (7, 1), (8, 1), (9, 2), (10, 3), (11, 4), (24, 4)] {
        app.update(Event::Resize(60, lines));
        let shown = screen(&mut app);
        let count = shown.lines().filter(|line| line.contains(" /shown/file-")).count();
        let rest = match named {
            0 => "7 entries, 7.0 MiB".to_owned(),
            _ => format!("and {} more (7.0 MiB for all entries)", 7 - named),
        };
        assert_eq!((count, shown.contains(&rest)), (named, true), "{lines}: {shown}");
        assert!(shown.contains("frees at least 1 B"), "{lines}: {shown}");
    }
}

/// While the preview is incomplete, the name must be typed even for a small entry, because files that the preview has
/// not visited yet may have grown since the scan.
#[test]
fn a_name_is_typed_while_the_preview_is_incomplete() {
    let tree = home();
    for is_complete in [false, true] {
        let mut app = safe(&tree, DeletePolicy { typed_over: 1 << 40, ..DeletePolicy::default() });
        press(&mut app, "d");
        previewed(&mut app, Preview { most: 4096, is_complete, ..Preview::default() });
        assert_eq!(is_begun(&press(&mut app, "y")), is_complete);
        write(&mut app, "music");
        assert_eq!(is_begun(&press(&mut app, "Enter")), !is_complete);
    }
}

/// Opens the deletion dialog with a warning that requires a second Yes.
pub fn asked_twice(app: &mut App<'_>) {
    press(app, "d");
    let warnings = vec![DeleteWarning::OthersDirectory(b"/r".to_vec(), 1000)];
    previewed(app, Preview { warnings, is_complete: true, ..Preview::default() });
}

#[test]
fn names_can_be_typed_whatever_keys_are_configured() {
    let tree = home();
    let mut app = configured(&tree, &[("suspend", "u"), ("erase-to-start", "Ctrl-X")]);
    typing(&mut app);
    write(&mut app, "no");
    app.update(Event::Key(KeyEvent::new(KeyCode::Char('x'), KeyModifiers::CONTROL)));
    write(&mut app, "music");
    assert!(is_begun(&press(&mut app, "Enter")), "{}", screen(&mut app));
}

#[test]
fn deletion_texts_name_the_configured_keys() {
    let tree = home();
    let mut app = configured(&tree, &[("restore", "F8"), ("delete-contents", "F7")]);
    asked(&mut app);
    assert!(screen(&mut app).contains("F7 switches to deleting only the contents"), "{}", screen(&mut app));
    press(&mut app, "y");
    assert!(screen(&mut app).contains("(Ctrl-C stops)"), "{}", screen(&mut app));
    for key in ["d", "h"] {
        press(&mut app, key);
        assert!(app.cx.notice_text().unwrap().ends_with(" (Ctrl-C stops it)"), "{:?}", app.cx.notice_text());
    }
    let mut app = configured(&tree, &[("restore", "F8")]);
    trashed(&mut app);
    assert!(app.cx.notice_text().unwrap().contains(" (F8 restores it); space"), "{:?}", app.cx.notice_text());
}

#[test]
fn root_needs_a_second_confirmation_in_directories_of_others() {
    let tree = home();
    let mut app = finished(&tree);
    asked_twice(&mut app);
    assert_eq!(press(&mut app, "Right Enter"), []);
    let confirm = app.delete_dialog().unwrap();
    assert!(matches!(confirm.stage, ConfirmStep::AskAgain) && confirm.button == Button::No);
    assert_eq!(press(&mut app, "Enter"), [Effect::Deletion(DeletionRequest::StopPreview)]);
}

#[test]
fn yes_is_selected_at_first_only_if_the_settings_say_so() {
    let tree = home();
    let mut app = safe(&tree, DeletePolicy { selects_yes: true, ..DeletePolicy::default() });
    assert_eq!(press(&mut app, "g d Enter").len(), 1, "without a preview, Enter confirms nothing");
    assert!(!app.cx.is_deleting());
    previewed(&mut app, Preview { files: 2, least: 1, most: 2, is_complete: true, ..Preview::default() });
    assert_eq!(app.delete_dialog().unwrap().button, Button::Yes);
    press(&mut app, "Enter");
    assert!(app.cx.is_deleting());
    let mut app = safe(&tree, DeletePolicy { selects_yes: true, ..DeletePolicy::default() });
    asked_twice(&mut app);
    press(&mut app, "Enter");
    assert_eq!(app.delete_dialog().unwrap().button, Button::No, "the second question selects No");
}

#[test]
fn read_only_mode_changes_nothing() {
    let tree = home();
    let mut app = safe(&tree, DeletePolicy { mode: DeleteMode::ReadOnly, ..DeletePolicy::default() });
    assert_eq!(press(&mut app, "d D U H"), []);
    assert_eq!(layer(&app), None);
    let mut app = safe(&tree, DeletePolicy { mode: DeleteMode::DryRun, ..DeletePolicy::default() });
    asked(&mut app);
    assert_eq!(press(&mut app, "y"), [Effect::Deletion(DeletionRequest::StopPreview)]);
    assert!(app.cx.notice_text().unwrap().contains("Dry run: would delete"));
    assert_eq!(press(&mut app, "U"), []);
}

#[test]
fn only_one_rescan_or_deletion_runs_at_a_time() {
    let tree = home();
    let mut app = finished(&tree);
    asked(&mut app);
    press(&mut app, "y");
    assert!(app.cx.is_deleting() && app.cx.wants_ticks());
    assert_eq!(press(&mut app, "d D r R U"), []);
    press(&mut app, "E");
    assert_eq!(app.cx.notice_text().as_deref(), Some("File operation in progress (Ctrl-C stops it)"));
    assert!(press(&mut app, "j k Enter h n s").is_empty(), "the keys for moving still work");
    press(&mut app, "q");
    assert!(screen(&mut app).contains("Quit and stop deleting midway?"), "{}", screen(&mut app));
    assert_eq!(press(&mut app, "n Esc"), [Effect::Deletion(DeletionRequest::Stop)]);
    assert_eq!(press(&mut app, "Esc"), [], "once is enough");
    let report = Report { entries: 1, freed: 4096, is_cancelled: true, is_over: true, ..Report::default() };
    let effect = reported(&mut app, report);
    assert!(matches!(effect, Some(Effect::Recheck(_))), "{effect:?}");
    assert_eq!(press(&mut app, "d"), [], "the remaining entries are read first");
    end_rescan(&mut app);
    let notice = app.cx.notice_text().unwrap();
    assert!(notice.ends_with("Deleted 1 entry, freed up to 4.0 KiB; stopped"), "{notice}");
    assert!(!app.cx.is_deleting());
    asked(&mut app);
    assert_eq!(layer(&app), Some(Scope::Confirm));

    let growing = Growing::new();
    growing.publish(vec![file("a", 1, 1)]);
    let mut app = self::app(&growing.tree);
    tick(&mut app, 1000, None);
    assert_eq!(press(&mut app, "d"), [], "the scan still reads");
}

#[test]
fn a_question_about_an_ended_operation_closes() {
    let tree = home();
    let mut app = finished(&tree);
    asked(&mut app);
    press(&mut app, "y q");
    assert!(question(&app).is_some());
    reported(&mut app, Report { entries: 1, is_over: true, ..Report::default() });
    assert!(question(&app).is_none(), "a Yes would be to another question");
    end_rescan(&mut app);
    asked(&mut app);
    press(&mut app, "y");
    reported(&mut app, Report { is_over: true, ..Report::default() });
    end_rescan(&mut app);
    assert_eq!(app.cx.notice_text().as_deref(), Some("Nothing to delete"));
}

#[test]
fn errors_of_other_jobs_do_not_end_a_deletion() {
    let tree = home();
    let mut app = finished(&tree);
    asked(&mut app);
    press(&mut app, "y");
    for message in [DeletionMessage::ScriptFailed(bug()), DeletionMessage::PreviewFailed(bug())] {
        assert_eq!(app.update(Event::Deletion(message)), None);
        assert!(app.cx.is_deleting() && app.cx.notice.take().is_some());
    }
    let effect = app.update(Event::Deletion(DeletionMessage::WorkFailed(bug())));
    assert!(matches!(effect, Some(Effect::Recheck(_))) && !app.cx.is_deleting(), "{effect:?}");
}

#[test]
fn a_dialog_without_a_preview_closes() {
    let tree = home();
    let mut app = finished(&tree);
    press(&mut app, "d");
    let effect = app.update(Event::Deletion(DeletionMessage::PreviewFailed(bug())));
    assert_eq!((layer(&app), effect), (None, Some(Effect::Deletion(DeletionRequest::StopPreview))));
    assert_eq!(app.cx.notice_text().as_deref(), Some("Checking the selection failed: internal error: a bug"));
}

#[test]
fn failed_entries_are_listed_and_retried() {
    let tree = home();
    let mut app = finished(&tree);
    failed(&mut app);
    let effects = press(&mut app, "r");
    assert_eq!(chosen(&selection(&effects)), ["/r/music"]);
    assert_eq!(layer(&app), Some(Scope::Confirm));
}

#[test]
fn the_list_of_failures_opens_once() {
    let tree = home();
    for keys in ["Esc", "q"] {
        let mut app = finished(&tree);
        failed(&mut app);
        press(&mut app, keys);
        assert_eq!(layer(&app), None);
        assert!(matches!(press(&mut app, "R")[..], [Effect::Rescan(_)]));
        end_rescan(&mut app);
        assert_eq!(layer(&app), None, "closed by {keys}");
    }
}

#[test]
fn the_list_of_failures_waits_until_nothing_else_is_open() {
    let tree = home();
    let first = vec![Failure { path: "/r/music".into(), reason: Reason::System(13) }];
    let stays = Report { failures: Failures { count: 1, first }, is_over: true, ..Report::default() };
    for open in ["i", "?"] {
        let mut app = finished(&tree);
        asked(&mut app);
        press(&mut app, "y");
        press(&mut app, open);
        let before = layer(&app);
        reported(&mut app, stays.clone());
        end_rescan(&mut app);
        assert_eq!(layer(&app), before, "{open}");
        press(&mut app, "Esc");
        assert_eq!(layer(&app), Some(Scope::Failures), "{open}");
    }
}

#[test]
fn the_last_trashing_is_restored_first() {
    let tree = home();
    let mut app = finished(&tree);
    trashed(&mut app);
    assert!(app.cx.notice_text().unwrap().contains("not freed yet"));
    let effects = press(&mut app, "U");
    let [Effect::Deletion(DeletionRequest::Begin(Operation::Restore(trashed), _))] = effects.as_slice()
    else {
        panic!("{effects:?}")
    };
    assert_eq!(trashed.len(), 1);
    let all = trashed.to_vec();
    let effect = reported(&mut app, Report { entries: 1, trashed: all, is_over: true, ..Report::default() });
    assert!(matches!(effect, Some(Effect::Rescan(_))), "it came back to a directory: {effect:?}");
    end_rescan(&mut app);
    assert_eq!(app.cx.notice_text().as_deref(), Some("Restored 1 entry"));
    assert_eq!(press(&mut app, "U"), []);
}

#[test]
fn failed_restores_can_be_repeated() {
    let tree = home();
    let mut app = finished(&tree);
    trashed(&mut app);
    press(&mut app, "U");
    reported(&mut app, Report { is_over: true, ..Report::default() });
    end_rescan(&mut app);
    assert!(matches!(
        press(&mut app, "U").as_slice(),
        [Effect::Deletion(DeletionRequest::Begin(Operation::Restore(_), _))]
    ));
    app.update(Event::Deletion(DeletionMessage::WorkFailed(bug())));
    end_rescan(&mut app);
    assert!(matches!(
        press(&mut app, "U").as_slice(),
        [Effect::Deletion(DeletionRequest::Begin(Operation::Restore(_), _))]
    ));
}

#[test]
fn a_script_contains_the_shown_entries() {
    let tree = home();
    let mut app = finished(&tree);
    let effects = press(&mut app, "H");
    let [Effect::Deletion(DeletionRequest::Script(selection, sizes, _))] = effects.as_slice() else {
        panic!("{effects:?}")
    };
    assert_eq!(selection.items().map(|(_, item)| item.name.as_slice()).collect::<Vec<_>>(), [b"music"]);
    assert_eq!(sizes.len(), 1);
    let warnings = vec![DeleteWarning::OthersDirectory(b"/r".to_vec(), 1000)];
    app.update(Event::Deletion(DeletionMessage::Script(Arc::new(Ok(Written {
        path: "/x/\x1b.sh".into(),
        warnings,
    })))));
    assert!(app.cx.notice_text().unwrap().contains("warnings"));
    assert!(app.cx.notice_text().unwrap().contains("/x/\\x1b.sh"));
}

fn bug() -> JobError {
    JobError::Panicked("a bug".to_owned())
}
