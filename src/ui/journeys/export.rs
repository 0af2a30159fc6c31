//! Journeys to a file that everything is written to.

use super::*;
use crate::ui::export::{Order as Wanted, Told};
use crate::writing::{Form, Format, Old, Packing, Unwritten};

fn wanted(name: &str, format: Format, old: Old) -> Wanted {
    Wanted { path: name.into(), format, old }
}

/// Asks for a file of this name.
fn ask(app: &mut App<'_>, name: &str) -> Vec<Effect> {
    press(app, "E Ctrl-U");
    write(app, name);
    press(app, "Enter")
}

fn told(app: &mut App<'_>, order: Wanted, written: Result<u64, Unwritten>) {
    app.update(Action::Exported(Told { order, written }));
}

#[test]
fn a_name_is_offered_typed_and_says_the_format() {
    let tree = home();
    let mut app = finished(&tree);
    press(&mut app, "E");
    assert_eq!((app.mode, app.export.name.as_str()), (Mode::FileName, "shown.json.zst"));
    let packed = wanted("shown.json.zst", Format::Ncdu(Packing::Zstd), Old::Kept);
    assert_eq!(press(&mut app, "Enter"), [Effect::Export(packed.clone())]);
    assert_eq!(app.mode, Mode::List);
    told(&mut app, packed, Ok(3 << 20));
    assert_eq!(app.notice.as_deref(), Some("Wrote 3.0 MiB to shown.json.zst"));
    for (name, format) in [
        ("q.json", Format::Ncdu(Packing::Plain)),
        ("q.ndjson", Format::Flat(Form::Json)),
        ("q.csv", Format::Flat(Form::Csv)),
        ("q.duke", Format::Snapshot),
    ] {
        let order = wanted(name, format, Old::Kept);
        assert_eq!(ask(&mut app, name), [Effect::Export(order.clone())]);
        told(&mut app, order, Err(Unwritten::Failed("no space left on device".to_owned())));
        assert_eq!(app.notice, Some(format!("{name}: no space left on device").into()));
    }
}

#[test]
fn the_name_that_is_offered_gives_way_to_what_is_typed_or_is_edited() {
    let tree = home();
    let mut app = finished(&tree);
    press(&mut app, "E");
    write(&mut app, "q.duke");
    assert_eq!(app.export.name.as_str(), "q.duke");
    press(&mut app, "Esc E Bksp");
    assert_eq!(app.export.name.as_str(), "q.duk");
    press(&mut app, "Esc E");
    app.update(Action::Paste("p.csv".into()));
    assert_eq!(app.export.name.as_str(), "p.csv");
    press(&mut app, "Ctrl-U Esc E");
    assert_eq!(app.export.name.as_str(), "shown.json.zst");
}

#[test]
fn a_name_without_a_format_is_not_taken_and_nothing_is_written_on_the_way_out() {
    let tree = home();
    let mut app = finished(&tree);
    assert_eq!(ask(&mut app, "q"), []);
    assert!(app.mode == Mode::FileName && app.export.complaint.is_some());
    app.update(Action::Paste(".du\nke".to_owned()));
    assert_eq!((app.export.name.as_str(), &app.export.complaint), ("q.duke", &None));
    press(&mut app, "Bksp");
    assert_eq!((app.export.name.as_str(), &app.export.complaint), ("q.duk", &None));
    assert_eq!(press(&mut app, "Esc"), []);
    assert_eq!(app.mode, Mode::List);
}

#[test]
fn a_file_that_is_there_is_replaced_after_a_question_only() {
    let tree = home();
    let mut app = finished(&tree);
    let order = wanted("q.duke", Format::Snapshot, Old::Kept);
    assert_eq!(ask(&mut app, "q.duke"), [Effect::Export(order.clone())]);
    told(&mut app, order.clone(), Err(Unwritten::Exists));
    let question = Question { about: About::Replace(order.clone()), button: Button::No };
    assert_eq!(app.question, Some(question));
    assert_eq!(press(&mut app, "Enter"), []);
    assert!(app.question.is_none() && app.written().is_none());
    ask(&mut app, "q.duke");
    told(&mut app, order.clone(), Err(Unwritten::Exists));
    assert_eq!(press(&mut app, "y"), [Effect::Export(Wanted { old: Old::Replaced, ..order })]);
}

#[test]
fn a_question_about_replacing_is_given_up_by_any_way_out() {
    let tree = home();
    for keys in ["Ctrl-C", "q", "Esc"] {
        let mut app = finished(&tree);
        tick(&mut app, 65_000, Some(Outcome::Complete));
        let order = wanted("q.duke", Format::Snapshot, Old::Kept);
        ask(&mut app, "q.duke");
        told(&mut app, order.clone(), Err(Unwritten::Exists));
        assert!(app.question.is_some());
        assert_eq!(press(&mut app, keys), [], "{keys}");
        assert!(app.question.is_none() && app.written().is_none(), "{keys}");
        assert_eq!(ask(&mut app, "q.duke"), [Effect::Export(order)], "another may be written: {keys}");
    }
}

#[test]
fn while_a_file_is_written_no_other_is_and_leaving_asks() {
    let tree = home();
    let mut app = finished(&tree);
    let order = wanted("q.duke", Format::Snapshot, Old::Kept);
    ask(&mut app, "q.duke");
    assert_eq!(press(&mut app, "E"), []);
    assert!(app.mode == Mode::List && app.notice.as_deref() == Some("q.duke is still being written"));
    press(&mut app, "h");
    assert_eq!(app.mode, Mode::List, "the scan above would end it");
    assert_eq!(press(&mut app, "q"), []);
    assert_eq!(app.question.as_ref().map(|question| &question.about), Some(&About::Quit));
    press(&mut app, "n");
    told(&mut app, order, Ok(1));
    assert_eq!(press(&mut app, "q"), [Effect::Quit]);
}

#[test]
fn what_is_not_whole_is_not_exported() {
    let growing = Growing::new();
    let mut app = app(&growing.tree);
    tick(&mut app, 100, None);
    press(&mut app, "E");
    assert!(app.mode == Mode::List && app.notice.as_deref().is_some_and(|text| text.starts_with("Wait")));
    growing.finish();
    tick(&mut app, 200, Some(Outcome::Stopped));
    press(&mut app, "E");
    assert!(
        app.mode == Mode::List
            && app.notice.as_deref().is_some_and(|text| text.starts_with("Not everything"))
    );
}

#[test]
fn several_roots_are_no_export_of_ncdu() {
    let tree = home();
    let roots = ["/r", "/s"].map(|root| (root.into(), root.into())).to_vec();
    let mut app = App::new(&tree, roots, &settings(), (80, 12));
    tick(&mut app, 100, Some(Outcome::Complete));
    press(&mut app, "E");
    assert_eq!(app.export.name.as_str(), "r.duke");
    assert_eq!(ask(&mut app, "q.json"), []);
    assert!(app.export.complaint.as_deref().is_some_and(|text| text.contains("one directory")));
    press(&mut app, "Esc");
    assert!(matches!(ask(&mut app, "q.csv")[..], [Effect::Export(_)]));
}
