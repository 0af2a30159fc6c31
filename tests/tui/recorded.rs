//! A binary export in a real terminal: rows, a search, a view, and no changes.
#![allow(missing_docs, clippy::unwrap_used)] // a failing fixture is a failing test

use crate::program::place::Place;
use crate::program::{program, run};
use crate::session::{Session, duke};

/// Opens a binary export of a directory that no longer exists.
fn browse() -> (Place, Session) {
    let place = Place::new();
    place.file("t/large/video.mkv", 900_000);
    place.file("t/large/deep/needle.log", 70_000);
    place.file("t/small", 10);
    run(program().current_dir(place.path()).args(["-O", "t.ncdu", "t"])).ended(0);
    std::fs::remove_dir_all(place.join("t")).unwrap();
    let mut command = duke(std::path::Path::new("-f"));
    command.arg("t.ncdu");
    command.cwd(place.path());
    (place, Session::run(command))
}

#[test]
fn a_binary_export_is_browsed_and_searched() {
    let (_place, mut session) = browse();
    session.wait_for_text("large/");
    session.wait_for_text("small");
    session.press("\r");
    session.wait_for_text("video.mkv");
    session.press("/needle\r");
    session.wait_for_text("needle.log");
    session.press("\x1b");
    session.wait_for_text("video.mkv");
    // The largest files of all directories, some of which have not been shown before.
    session.press("2");
    session.wait_for("both files in one list", |screen| {
        let text = screen.contents();
        text.contains("video.mkv") && text.contains("needle.log")
    });
    session.press("1");
    session.press("d");
    session.wait_for_text("Snapshots and exports are read-only");
    assert_eq!(session.quit().exit_code(), 0);
    session.assert_restored();
}
