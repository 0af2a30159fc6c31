//! Tests of the preview beside the list, with files that must not be opened and with a file larger than memory.

use std::fs::{File, OpenOptions};
use std::io::Write;
use std::os::unix::fs::OpenOptionsExt;
use std::time::Duration;

use nix::errno::Errno;
use nix::sys::stat::Mode;
use nix::unistd::mkfifo;

use crate::session::Session;

#[test]
fn special_files_are_not_opened_and_huge_ones_are_read_in_part() {
    let folder = tempfile::tempdir().unwrap();
    let pipe = folder.path().join("1-pipe");
    mkfifo(&pipe, Mode::S_IRUSR | Mode::S_IWUSR).unwrap();
    let mut huge = File::create(folder.path().join("2-huge")).unwrap();
    huge.write_all(b"the first line\n").unwrap();
    huge.write_all(&b"and more\n".repeat(4000)).unwrap();
    huge.set_len(10 << 30).unwrap();
    std::fs::write(folder.path().join("3-secret"), "of another file\n").unwrap();
    std::os::unix::fs::symlink("3-secret", folder.path().join("4-link")).unwrap();
    let mut session = Session::start(folder.path());
    session.resize(30, 160);
    session.press("n");
    session.wait_for_text("1 of 4");
    session.wait_for_text("named pipe");
    session.drain(Duration::from_millis(500));
    // Opening the pipe for writing succeeds only if another process has opened it for reading.
    let flags = nix::libc::O_NONBLOCK;
    let error = OpenOptions::new().write(true).custom_flags(flags).open(&pipe).unwrap_err();
    assert_eq!(error.raw_os_error(), Some(Errno::ENXIO as i32));
    session.press("j");
    session.wait_for_text("the first line");
    session.press("jj");
    session.wait_for_text("4 of 4");
    session.wait_for_text("symbolic link");
    session.drain(Duration::from_millis(500));
    assert!(!session.screen.screen().contents().contains("of another file"), "the link was followed");
    session.press("k");
    session.wait_for_text("of another file");
    assert!(session.quit().success());
}
