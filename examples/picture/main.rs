//! Generator of the pictures in the README and in docs/tour.md. Runs the program in a pseudo-terminal, on a real
//! directory and on the demo tree of docs/tour.md, and draws the screens as SVG.
//!
//! cargo run --example picture [PATH [PROGRAM]]
//!
//! Builds the program first unless PROGRAM is given.

mod recording;
mod svg;
#[path = "../demo-tree/tree.rs"]
mod tree;

use std::env;
use std::error::Error;
use std::ffi::OsStr;
use std::fs;
use std::io::{Read, Write};
use std::num::{NonZeroU16, TryFromIntError};
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::mpsc::{Receiver, RecvTimeoutError, channel};
use std::time::{Duration, Instant};

use portable_pty::{Child, CommandBuilder, MasterPty, PtySize, native_pty_system};
use recording::Recording;
use vt100::{Parser, Screen};

/// Pictures, each with the size of the terminal (columns, lines), the keys pressed before the picture is drawn, and
/// the file to write.
const PICTURES: [((u16, u16), &str, &str); 4] = [
    ((84, 16), "j", "docs/pictures/list.svg"),
    ((160, 36), "k", "docs/pictures/preview.svg"),
    ((100, 30), "5", "docs/pictures/treemap.svg"),
    ((100, 30), "`", "docs/pictures/overview.svg"),
];

/// Directory that docs/tour.md uses for its sample files.
const TOUR: &str = "/tmp/laptop";
const TOUR_WINDOW: (u16, u16) = (100, 24);
const TOUR_PICTURES: [(&[&str], &str); 3] = [
    (&[""], "docs/pictures/tour-list.svg"),
    (&["5"], "docs/pictures/tour-treemap.svg"),
    (&["9", " ", "d"], "docs/pictures/tour-delete.svg"),
];

const RECORDING: &str = "docs/pictures/recording.svg";
/// Columns and lines of the recording.
const WINDOW: (u16, u16) = (100, 28);
/// Duration of the recording of a running scan, and the interval between its frames, both in milliseconds.
const SCAN: (u32, u32) = (2000, 100);
/// Keys pressed in the recording, each with the time in milliseconds for which the resulting screen is shown.
const STEPS: [(&str, u32); 25] = [
    ("", 1200),
    ("j", 500),
    ("k", 500),
    ("\r", 1200),
    ("j", 350),
    ("j", 350),
    ("5", 2000),
    ("\x1b[C", 600),
    ("\x1b[C", 600),
    ("c", 1500),
    ("c", 600),
    ("1", 600),
    ("/", 700),
    (".", 250),
    ("s", 250),
    ("o", 900),
    ("\x1b", 700),
    ("3", 1500),
    ("`", 2200),
    ("1", 500),
    ("h", 700),
    (" ", 350),
    (" ", 350),
    ("\t", 1500),
    ("\x1b", 900),
];

/// Time without output after which a screen is considered complete.
const QUIET: Duration = Duration::from_millis(1500);

fn main() -> Result<(), Box<dyn Error>> {
    let path = env::args_os().nth(1).unwrap_or_else(|| "/usr".into());
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let program = env::args_os().nth(2).map_or_else(|| built(root), |program| Ok(program.into()))?;
    let write = |name: &str, svg: String| {
        let file = root.join(name);
        fs::create_dir_all(file.parent().unwrap_or(root))?;
        fs::write(&file, svg)?;
        println!("{name}");
        Ok::<(), std::io::Error>(())
    };
    let mut terminal = Terminal::start(&program, &path, WINDOW)?;
    let mut recording = Recording::default();
    for _ in 0..SCAN.0 / SCAN.1 {
        terminal.wait(Duration::from_millis(SCAN.1.into()));
        recording.show(terminal.screen(), SCAN.1);
    }
    for (keys, milliseconds) in STEPS {
        terminal.press(keys)?;
        recording.show(terminal.screen(), milliseconds);
    }
    terminal.end("1q")?;
    write(RECORDING, recording.drawn())?;
    let mut terminal = Terminal::start(&program, &path, PICTURES[0].0)?;
    // Waits for the end of the scan, because rows move until then.
    terminal.press("")?;
    for (size, keys, name) in PICTURES {
        terminal.resize(size)?;
        terminal.press(keys)?;
        write(name, svg::picture(terminal.screen()))?;
    }
    terminal.end("1q")?;
    tree::create(Path::new(TOUR)).map_err(|error| format!("{TOUR}: cannot create: {error}"))?;
    let drawn = tour(&program, write);
    fs::remove_dir_all(TOUR)?;
    drawn
}

/// Draws the pictures of the tour.
fn tour(
    program: &Path,
    write: impl Fn(&str, String) -> Result<(), std::io::Error>,
) -> Result<(), Box<dyn Error>> {
    let mut terminal = Terminal::start(program, OsStr::new(TOUR), TOUR_WINDOW)?;
    for (keys, name) in TOUR_PICTURES {
        for key in keys {
            terminal.press(key)?;
        }
        write(name, svg::picture(terminal.screen()))?;
    }
    // Close the question in the last picture and clear the marks, so that the program quits at once.
    for keys in ["n", "g", " "] {
        terminal.press(keys)?;
    }
    terminal.end("1q")
}

/// Builds the program and returns its path.
fn built(root: &Path) -> Result<PathBuf, Box<dyn Error>> {
    let cargo = env::var_os("CARGO").unwrap_or_else(|| "cargo".into());
    if !Command::new(cargo).args(["build", "--release"]).current_dir(root).status()?.success() {
        return Err("the program could not be built".into());
    }
    let target = env::current_exe()?.ancestors().nth(3).map(Path::to_path_buf).unwrap_or_default();
    Ok(target.join("release/duke"))
}

/// Terminal in which the program runs.
struct Terminal {
    child: Box<dyn Child + Send + Sync>,
    master: Box<dyn MasterPty + Send>,
    keys: Box<dyn Write + Send>,
    output: Receiver<Vec<u8>>,
    parser: Parser,
}

/// Converts the size of a window from (columns, lines) to (lines, columns). Returns an error if either number is 0.
fn cells((columns, lines): (u16, u16)) -> Result<(NonZeroU16, NonZeroU16), TryFromIntError> {
    Ok((lines.try_into()?, columns.try_into()?))
}

fn size((cols, rows): (u16, u16)) -> PtySize {
    PtySize { rows, cols, pixel_width: 0, pixel_height: 0 }
}

impl Terminal {
    fn start(program: &Path, path: &OsStr, window: (u16, u16)) -> Result<Self, Box<dyn Error>> {
        let mut command = CommandBuilder::new(program);
        command.args(["--no-config", "--color", "always"]);
        command.arg(path);
        command.env("TERM", "xterm-256color");
        command.env("COLORTERM", "truecolor");
        // Without the first two variables, the program saves no snapshot of the directory. The other two would change
        // its output.
        for name in ["HOME", "XDG_STATE_HOME", "TERM_PROGRAM", "NO_COLOR"] {
            command.env_remove(name);
        }
        let terminal = native_pty_system().openpty(size(window))?;
        let child = terminal.slave.spawn_command(command)?;
        let mut reader = terminal.master.try_clone_reader()?;
        let (sender, output) = channel();
        std::thread::spawn(move || {
            let mut buffer = [0; 4096];
            while let Ok(length @ 1..) = reader.read(&mut buffer) {
                if sender.send(buffer[..length].to_vec()).is_err() {
                    break;
                }
            }
        });
        let keys = terminal.master.take_writer()?;
        let (lines, columns) = cells(window)?;
        Ok(Self { child, master: terminal.master, keys, output, parser: Parser::new(lines, columns, 0) })
    }

    fn screen(&self) -> &Screen {
        self.parser.screen()
    }

    fn resize(&mut self, window: (u16, u16)) -> Result<(), Box<dyn Error>> {
        let (lines, columns) = cells(window)?;
        self.parser.screen_mut().set_size(lines, columns);
        Ok(self.master.resize(size(window))?)
    }

    /// Presses keys, and reads output until the screen is not blank and no output has arrived for [`QUIET`].
    fn press(&mut self, keys: &str) -> Result<(), Box<dyn Error>> {
        self.keys.write_all(keys.as_bytes())?;
        self.keys.flush()?;
        loop {
            match self.output.recv_timeout(QUIET) {
                Ok(bytes) => self.parser.process(&bytes),
                Err(RecvTimeoutError::Timeout) if self.screen().contents().trim().is_empty() => {}
                Err(RecvTimeoutError::Timeout) => return Ok(()),
                Err(RecvTimeoutError::Disconnected) => return Err("the program ended".into()),
            }
        }
    }

    /// Reads output until `meanwhile` has elapsed.
    fn wait(&mut self, meanwhile: Duration) {
        let end = Instant::now() + meanwhile;
        while let Ok(bytes) = self.output.recv_timeout(end.saturating_duration_since(Instant::now())) {
            self.parser.process(&bytes);
        }
    }

    /// Presses `keys`, which must end the program, and waits until the program has ended.
    fn end(&mut self, keys: &str) -> Result<(), Box<dyn Error>> {
        self.keys.write_all(keys.as_bytes())?;
        self.keys.flush()?;
        self.child.wait()?;
        Ok(())
    }
}
