//! Helpers that rerun a test in a new process, where it can change its resource limits, user, group and mounts.

use std::env;
use std::ffi::OsString;
use std::io::Read;
use std::process::{Child, Command, Output, Stdio};
use std::time::{Duration, Instant};

const ROLE: &str = "DUKE_TEST_CHILD";
/// Time after which a child is considered hung; long enough for a loaded machine.
const PATIENCE: Duration = Duration::from_secs(60);

/// Process that is killed when this value is dropped.
pub struct Killed(pub Child);

impl Killed {
    /// Starts a process and waits for its first output.
    pub fn when_ready(command: &mut Command) -> Self {
        let mut child = command.stdin(Stdio::piped()).stdout(Stdio::piped()).spawn().unwrap();
        child.stdout.as_mut().unwrap().read_exact(&mut [0]).unwrap();
        Self(child)
    }

    pub fn pid(&self) -> u32 {
        self.0.id()
    }
}

impl Drop for Killed {
    fn drop(&mut self) {
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

/// Returns the argument from the parent if this process is the child of `test`.
pub fn argument_of(test: &str) -> Option<OsString> {
    let is_child = env::var_os(ROLE).is_some_and(|role| role == test);
    is_child.then(|| env::var_os("DUKE_TEST_ARGUMENT").unwrap_or_default())
}

/// Runs the body of `test` in a child process. Returns `true` in the child, and afterwards `false` in the parent.
pub fn alone(test: &str) -> bool {
    let is_child = argument_of(test).is_some();
    if !is_child {
        run(test, &[], "");
    }
    is_child
}

/// Runs `test` of this binary in a child process and returns the output. The child is started through `launcher`, or
/// directly if `launcher` is empty. Fails if the child fails or hangs.
pub fn run(test: &str, launcher: &[&str], argument: impl Into<OsString>) -> String {
    let myself = env::current_exe().expect("a process knows its program");
    let mut command = match launcher {
        [] => Command::new(myself),
        [program, arguments @ ..] => {
            let mut command = Command::new(program);
            command.args(arguments).arg(myself);
            command
        }
    };
    command.args([&full_name(test), "--exact", "--nocapture", "--test-threads=1"]);
    command.env(ROLE, test).env("DUKE_TEST_ARGUMENT", argument.into());
    let output = finish(command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped()), test);
    let readable = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
    let (stdout, stderr) = (readable(&output.stdout), readable(&output.stderr));
    let passed = output.status.success() && stdout.contains("1 passed");
    assert!(passed, "the child of {test} ended with {}:\n{stdout}\n{stderr}", output.status);
    eprint!("{}", stderr.lines().filter(|line| line.contains("SKIPPED")).collect::<Vec<_>>().join("\n"));
    stdout
}

/// Returns the full name of `test`, including its modules, as the test runner lists it.
fn full_name(test: &str) -> String {
    let myself = env::current_exe().expect("a process knows its program");
    let list =
        Command::new(myself).args(["--list", "--format", "terse"]).output().expect("tests can be listed");
    let list = String::from_utf8(list.stdout).expect("names of tests are UTF-8");
    let names = list.lines().filter_map(|line| line.strip_suffix(": test"));
    let found: Vec<&str> = names.filter(|name| name.rsplit("::").next() == Some(test)).collect();
    assert_eq!(found.len(), 1, "tests with the name {test}: {found:?}");
    found[0].to_owned()
}

fn finish(command: &mut Command, test: &str) -> Output {
    let mut child = command.spawn().expect("a child can be started");
    let (mut out, mut err) = (child.stdout.take().expect("piped"), child.stderr.take().expect("piped"));
    let read = |pipe: &mut dyn std::io::Read| {
        let mut bytes = Vec::new();
        pipe.read_to_end(&mut bytes).map(|_| bytes).unwrap_or_default()
    };
    std::thread::scope(|scope| {
        let stdout = scope.spawn(move || read(&mut out));
        let stderr = scope.spawn(move || read(&mut err));
        let begun = Instant::now();
        let status = loop {
            if let Some(status) = child.try_wait().expect("a child can be waited for") {
                break status;
            }
            if begun.elapsed() > PATIENCE {
                child.kill().expect("a child can be killed");
                let _ = child.wait();
                panic!("the child of {test} hangs");
            }
            std::thread::sleep(Duration::from_millis(5));
        };
        let join = |reader: std::thread::ScopedJoinHandle<'_, Vec<u8>>| {
            reader.join().expect("reading does not panic")
        };
        Output { status, stdout: join(stdout), stderr: join(stderr) }
    })
}

/// Returns `true` if this process runs as root, in which case permissions cannot be tested.
pub fn is_root() -> bool {
    nix::unistd::geteuid().is_root()
}

/// Gives up root privileges, if this process has them.
pub fn become_nobody() {
    use nix::unistd::{Gid, Uid, setgid, setuid};
    if is_root() {
        #[cfg(not(target_os = "macos"))] // on macOS, nix has no setgroups
        nix::unistd::setgroups(&[]).expect("root may");
        setgid(Gid::from_raw(65_534)).expect("root may");
        setuid(Uid::from_raw(65_534)).expect("root may");
    }
}
