//! FUSE file system whose server is a C program. Dropping the [`Server`] unmounts the file system and kills the
//! program.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use crate::support::fixtures::{self, Fixture};

pub struct Server {
    fixture: Fixture,
    process: Child,
}

impl Server {
    /// Compiles the C program `source`, runs it with these arguments to mount its file system, and waits until
    /// `entry` exists there. Returns the reason as an error if the file system cannot be mounted on this machine.
    pub fn mount(source: &str, arguments: &[&str], entry: &str) -> Result<Self, &'static str> {
        if !Path::new("/dev/fuse").exists() {
            return Err("no /dev/fuse");
        }
        let fixture = fixtures::empty();
        let program = fixture.join("program");
        fs::create_dir(fixture.join("mounted")).unwrap();
        let source = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/system/lying").join(source);
        let flags = Command::new("pkg-config")
            .args(["--cflags", "--libs", "fuse3"])
            .output()
            .map_err(|_| "no pkg-config")?;
        let flags = String::from_utf8(flags.stdout).unwrap();
        let mut compiler = Command::new("cc");
        compiler.arg("-o").arg(&program).arg(source).args(flags.split_whitespace()).stderr(Stdio::null());
        if !compiler.status().is_ok_and(|status| status.success()) {
            return Err("no C compiler with libfuse 3");
        }
        let mut process = Command::new(program);
        let process = process.args(arguments).arg("-f").arg(fixture.join("mounted")).spawn().unwrap();
        let server = Self { fixture, process };
        let begun = Instant::now();
        while !server.path().join(entry).exists() {
            if begun.elapsed() > Duration::from_secs(10) {
                return Err("nothing was mounted");
            }
            std::thread::sleep(Duration::from_millis(10));
        }
        Ok(server)
    }

    pub fn path(&self) -> PathBuf {
        self.fixture.join("mounted")
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        let _ = Command::new("fusermount3").args(["-u", "-z"]).arg(self.path()).status();
        // Kill the server, because a request that never ends would keep it running.
        let _ = self.process.kill();
        let _ = self.process.wait();
    }
}
