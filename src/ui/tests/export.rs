//! Tests of exports to a file.

use super::*;
use crate::source::save::{Form, Format, NcduFormat, Overwrite, Packing, SaveError};
use crate::ui::layers::file_prompt::FilePrompt;
use crate::ui::notice::Notice;
use crate::ui::operations::export::{ExportMessage, ExportRequest};

fn wanted(name: &str, format: Format, old: Overwrite) -> ExportRequest {
    ExportRequest { path: name.into(), format, old }
}

/// Returns the prompt for a file name, which must be the top layer.
fn prompt<'a>(app: &'a App<'_>) -> &'a FilePrompt {
    let Some(Layer::FileName(prompt)) = app.layers.last() else { panic!("{:?}", app.layers) };
    prompt
}

/// Opens the export prompt, types the name, and confirms.
fn ask(app: &mut App<'_>, name: &str) -> Vec<Effect> {
    press(app, "E Ctrl-U");
    write(app, name);
    press(app, "Enter")
}

fn end_export(app: &mut App<'_>, request: ExportRequest, written: Result<u64, SaveError>) {
    app.update(Event::Exported(ExportMessage { request, written }));
}

#[test]
fn a_file_name_is_offered_and_determines_the_format() {
    let tree = home();
    let mut app = finished(&tree);
    press(&mut app, "E");
    assert_eq!((layer(&app), prompt(&app).name.as_str()), (Some(Scope::FileName), "shown.json.zst"));
    let packed = wanted("shown.json.zst", Format::Ncdu(NcduFormat::Json(Packing::Zstd)), Overwrite::Refuse);
    assert_eq!(press(&mut app, "Enter"), [Effect::Export(packed.clone())]);
    assert_eq!(layer(&app), None);
    end_export(&mut app, packed, Ok(3 << 20));
    assert_eq!(app.cx.notice_text().as_deref(), Some("Wrote 3.0 MiB to shown.json.zst"));
    for (name, format) in [
        ("q.json", Format::Ncdu(NcduFormat::Json(Packing::Plain))),
        ("q.ncdu", Format::Ncdu(NcduFormat::Binary(None))),
        ("q.ndjson", Format::Flat(Form::Json)),
        ("q.csv", Format::Flat(Form::Csv)),
        ("q.duke", Format::Snapshot),
    ] {
        let request = wanted(name, format, Overwrite::Refuse);
        assert_eq!(ask(&mut app, name), [Effect::Export(request.clone())]);
        end_export(
            &mut app,
            request,
            Err(SaveError::Failed("cannot write: no space left on device".to_owned())),
        );
        assert_eq!(app.cx.notice_text(), Some(format!("{name}: cannot write: no space left on device")));
    }
}

#[test]
fn the_offered_name_of_an_import_has_one_ending() {
    let tree = home();
    for (root, name) in [
        ("e.json", "e.json.zst"),
        ("e.json.zst", "e.json.zst"),
        ("e.v1.duke", "e.v1.json.zst"),
        ("/x/.csv", "csv.json.zst"),
    ] {
        let mut app = App::new(&tree, vec![(b"/r".to_vec(), root.into())], &settings(), (80, 12));
        tick(&mut app, 100, Some(Outcome::Complete));
        press(&mut app, "E");
        assert_eq!(prompt(&app).name.as_str(), name);
    }
}

#[test]
fn the_offered_name_is_replaced_by_typing_or_edited() {
    let tree = home();
    let mut app = finished(&tree);
    press(&mut app, "E");
    write(&mut app, "q.duke");
    assert_eq!(prompt(&app).name.as_str(), "q.duke");
    press(&mut app, "Esc E Bksp");
    assert_eq!(prompt(&app).name.as_str(), "q.duk");
    press(&mut app, "Esc E");
    app.update(Event::Paste("p.csv".into()));
    assert_eq!(prompt(&app).name.as_str(), "p.csv");
    press(&mut app, "Ctrl-U Esc E");
    assert_eq!(prompt(&app).name.as_str(), "shown.json.zst");
}

#[test]
fn a_name_is_edited_at_the_cursor_and_a_tilde_is_the_home_directory() {
    let tree = home();
    let mut app = finished(&tree);
    press(&mut app, "E Home");
    write(&mut app, "~/");
    press(&mut app, "End Left Left Left Left Left Left Left Left Ctrl-K");
    write(&mut app, "csv");
    assert_eq!(prompt(&app).name.as_str(), "~/shown.csv");
    let path = std::env::home_dir().unwrap().join("shown.csv");
    let request = ExportRequest { path, format: Format::Flat(Form::Csv), old: Overwrite::Refuse };
    assert_eq!(press(&mut app, "Enter"), [Effect::Export(request)]);
}

#[test]
fn a_name_without_a_format_is_rejected_and_quitting_writes_nothing() {
    let tree = home();
    let mut app = finished(&tree);
    assert_eq!(ask(&mut app, "q"), []);
    assert!(layer(&app) == Some(Scope::FileName) && prompt(&app).error_text.is_some());
    app.update(Event::Paste(".du\nke".to_owned()));
    assert_eq!((prompt(&app).name.as_str(), prompt(&app).error_text.is_none()), ("q.duke", true));
    press(&mut app, "Bksp");
    assert_eq!((prompt(&app).name.as_str(), prompt(&app).error_text.is_none()), ("q.duk", true));
    assert_eq!(press(&mut app, "Esc"), []);
    assert_eq!(layer(&app), None);
}

#[test]
fn an_existing_file_is_replaced_only_after_a_question() {
    let tree = home();
    let mut app = finished(&tree);
    let request = wanted("q.duke", Format::Snapshot, Overwrite::Refuse);
    assert_eq!(ask(&mut app, "q.duke"), [Effect::Export(request.clone())]);
    end_export(&mut app, request.clone(), Err(SaveError::Exists));
    assert_eq!(question(&app), Some((Question::Replace(request.clone()), Button::No)));
    assert_eq!(press(&mut app, "Enter"), []);
    assert!(question(&app).is_none() && app.cx.written().is_none());
    ask(&mut app, "q.duke");
    end_export(&mut app, request.clone(), Err(SaveError::Exists));
    assert_eq!(press(&mut app, "y"), [Effect::Export(ExportRequest { old: Overwrite::Replace, ..request })]);
}

#[test]
fn any_way_out_cancels_the_question_about_replacing() {
    let tree = home();
    for keys in ["Ctrl-C", "q", "Esc"] {
        let mut app = finished(&tree);
        tick(&mut app, 65_000, Some(Outcome::Complete));
        let request = wanted("q.duke", Format::Snapshot, Overwrite::Refuse);
        ask(&mut app, "q.duke");
        end_export(&mut app, request.clone(), Err(SaveError::Exists));
        assert!(question(&app).is_some());
        assert_eq!(press(&mut app, keys), [], "{keys}");
        assert!(question(&app).is_none() && app.cx.written().is_none(), "{keys}");
        assert_eq!(ask(&mut app, "q.duke"), [Effect::Export(request)], "another may be written: {keys}");
    }
}

#[test]
fn only_one_file_is_written_at_a_time_and_quitting_asks() {
    let tree = home();
    let mut app = finished(&tree);
    let request = wanted("q.duke", Format::Snapshot, Overwrite::Refuse);
    ask(&mut app, "q.duke");
    // Half of the entries are written.
    app.cx.export.written.add(tree.totals(DirId::TOP).items / 2);
    assert!(status_line(&mut app, 80).contains("██████       writing q.duke"), "{}", screen(&mut app));
    assert_eq!(press(&mut app, "E"), []);
    assert!(
        layer(&app).is_none() && app.cx.notice_text().as_deref() == Some("q.duke is still being written")
    );
    press(&mut app, "h");
    assert_eq!(layer(&app), None, "the scan above would end it");
    assert_eq!(press(&mut app, "q"), []);
    assert_eq!(question(&app).map(|(about, _)| about), Some(Question::Quit));
    press(&mut app, "n");
    end_export(&mut app, request, Ok(1));
    assert_eq!(press(&mut app, "q"), [Effect::Quit]);
}

#[test]
fn an_incomplete_tree_is_not_exported() {
    let growing = Growing::new();
    let mut app = app(&growing.tree);
    tick(&mut app, 100, None);
    press(&mut app, "E");
    assert!(
        layer(&app).is_none()
            && app.cx.notice_text().as_deref().is_some_and(|text| text.starts_with("Cannot export until"))
    );
    growing.finish();
    tick(&mut app, 200, Some(Outcome::Stopped));
    press(&mut app, "E");
    assert!(
        layer(&app).is_none()
            && app
                .cx
                .notice_text()
                .as_deref()
                .is_some_and(|text| text.starts_with("Cannot export an incomplete"))
    );
}

#[test]
fn several_roots_are_no_export_of_ncdu() {
    let tree = home();
    let roots = ["/r", "/s"].map(|root| (root.into(), root.into())).to_vec();
    let mut app = App::new(&tree, roots, &settings(), (80, 12));
    tick(&mut app, 100, Some(Outcome::Complete));
    press(&mut app, "E");
    assert_eq!(prompt(&app).name.as_str(), "r.duke");
    assert_eq!(ask(&mut app, "q.json"), []);
    assert!(matches!(prompt(&app).error_text, Some(Notice::OneRootOnly)));
    press(&mut app, "Esc");
    assert!(matches!(ask(&mut app, "q.csv")[..], [Effect::Export(_)]));
}
