//! Inputs of an import: files, standard input, rclone remotes (`rclone://`, see `rclone`), and other machines
//! (`ssh://[USER@]HOST[:PORT]/PATH`). On another machine, duke creates an export:
//!
//! ```text
//! ssh [-p PORT] -- [USER@]HOST "duke -q -c -o - [flags] -- 'PATH'"
//! ```
//!
//! ssh always passes its last argument to a shell on the remote machine, so the flags and the path are quoted. ssh asks
//! for passwords on the terminal. The end of ssh's standard error is kept for error messages.
//!
//! Invariant: no part of HOST can become a flag of ssh, and the shell interprets no part of PATH.

use std::ffi::{OsStr, OsString};
use std::fs::File;
use std::io::{self, Read};
use std::os::unix::ffi::{OsStrExt, OsStringExt};
use std::path::PathBuf;
use std::process::{Child, Command, Stdio};
use std::thread::{self, JoinHandle};

use super::rclone::RclonePath;
use crate::base::os_error::{cannot_read, io_error_text};
use crate::base::text::{escape, escape_path};
use crate::platform::terminal::streams;

const SCHEME: &[u8] = b"ssh://";
/// Number of bytes kept from the end of ssh's or rclone's standard error.
const KEPT: u64 = 4096;
/// Exit code of duke if it wrote an export, but could not read some entries.
const INCOMPLETE: i32 = 1;
/// Exit code of a shell that cannot find the program (POSIX Shell Command Language, 2.8.2).
const NOT_FOUND: i32 = 127;

/// Directory on another machine.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Remote {
    /// Host, optionally preceded by a user name: `[USER@]HOST`.
    host: String,
    port: Option<u16>,
    /// Path on the remote machine. If it is empty, duke scans the directory in which ssh starts the command.
    path: Vec<u8>,
    /// Flags passed to duke on the remote machine.
    flags: Vec<OsString>,
}

/// Running process of ssh or rclone.
pub(crate) struct Session {
    program: Program,
    child: Child,
    messages: Option<JoinHandle<Vec<u8>>>,
}

/// Program whose output is the input of an import.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Program {
    /// ssh, which runs duke on the remote machine.
    Ssh,
    Rclone,
}

impl Program {
    fn name(self) -> &'static str {
        match self {
            Self::Ssh => "ssh",
            Self::Rclone => "rclone",
        }
    }
}

impl Remote {
    /// Parses `word` if it begins with `ssh://`. Otherwise, returns `None`.
    ///
    /// # Errors
    /// Returns an error if `word` begins with `ssh://` but is invalid.
    pub fn parse(word: &OsStr, flags: Vec<OsString>) -> Option<Result<Self, &'static str>> {
        let rest = word.as_bytes().strip_prefix(SCHEME)?;
        let end = rest.iter().position(|byte| *byte == b'/').unwrap_or(rest.len());
        let (host, path) = rest.split_at(end);
        Some(Self::of(host, path, flags))
    }

    fn of(host: &[u8], path: &[u8], flags: Vec<OsString>) -> Result<Self, &'static str> {
        let host = std::str::from_utf8(host).map_err(|_| "the user or host name is not valid UTF-8")?;
        let (user, host) = host.rsplit_once('@').map_or((None, host), |(user, host)| (Some(user), host));
        let (host, port) = match host.strip_prefix('[') {
            Some(rest) => rest.split_once(']').ok_or("expected ']' after the address")?,
            None => host.find(':').map_or((host, ""), |colon| host.split_at(colon)),
        };
        let port = match port.strip_prefix(':') {
            None if port.is_empty() => None,
            None => return Err("expected ':' before the port"),
            Some(digits) => Some(digits.parse().map_err(|_| "invalid port")?),
        };
        let is_plain = |text: &str| {
            !text.is_empty()
                && !text.starts_with('-')
                && !text.contains(|c: char| c.is_whitespace() || c.is_control())
        };
        if !is_plain(host) || user.is_some_and(|user| !is_plain(user)) {
            return Err("invalid user or host name; write ssh://[USER@]HOST[:PORT]/PATH");
        }
        let host = user.map_or_else(|| host.to_owned(), |user| format!("{user}@{host}"));
        Ok(Self { host, port, path: path.to_vec(), flags })
    }

    /// Returns `[USER@]HOST`.
    pub fn host(&self) -> &str {
        &self.host
    }

    /// Returns `true` if `other` has the same host and port. User names are ignored.
    pub fn is_on_host_of(&self, other: &Self) -> bool {
        let host = |remote: &Self| remote.host.rsplit('@').next().unwrap_or_default().to_ascii_lowercase();
        (host(self), self.port) == (host(other), other.port)
    }

    fn command(&self) -> Command {
        let mut command = Command::new("ssh");
        if let Some(port) = self.port {
            command.arg("-p").arg(port.to_string());
        }
        command.arg("--").arg(&self.host).arg(OsString::from_vec(self.script()));
        command
    }

    /// Returns the command line for the shell on the remote machine.
    fn script(&self) -> Vec<u8> {
        let mut script = b"duke -q -c -o -".to_vec();
        for flag in &self.flags {
            script.push(b' ');
            quote(flag.as_bytes(), &mut script);
        }
        if !self.path.is_empty() {
            script.extend_from_slice(b" -- ");
            quote(&self.path, &mut script);
        }
        script
    }
}

impl Session {
    /// Starts rclone to list unfinished uploads, and returns its output stream.
    pub(crate) fn uploads(path: &RclonePath) -> Result<Opened, String> {
        Self::start(Program::Rclone, path.uploads_command())
    }

    /// Starts a program and returns its output as a stream.
    fn start(program: Program, mut command: Command) -> Result<Opened, String> {
        let name = program.name();
        command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped());
        let mut child = command.spawn().map_err(|error| match error.kind() {
            io::ErrorKind::NotFound => format!("{name} is not installed, or not in PATH"),
            _ => format!("cannot run {name}: {}", io_error_text(&error)),
        })?;
        let reader = child.stdout.take().ok_or_else(|| format!("cannot read the output of {name}"))?;
        let messages = child.stderr.take().map(|errors| thread::spawn(move || keep_last(errors)));
        Ok((Box::new(reader), Some(Self { program, child, messages })))
    }

    /// Waits until the process has ended, and returns its error, if any. `is_whole` is `true` if all of its output was
    /// read. If not, the process is killed first.
    pub(crate) fn finish(mut self, is_whole: bool) -> Result<(), String> {
        if !is_whole {
            // Without `kill`, a program that is blocked on its unread output might never end. If `kill` fails, the
            // program has already ended.
            let _ = self.child.kill();
        }
        let name = self.program.name();
        let status = self
            .child
            .wait()
            .map_err(|error| format!("cannot wait for {name}: {}", io_error_text(&error)))?;
        let messages = self.messages.take().and_then(|reader| reader.join().ok()).unwrap_or_default();
        let last = last_message(&messages);
        let is_ssh = self.program == Program::Ssh;
        match status.code() {
            Some(0) => Ok(()),
            Some(INCOMPLETE) if is_ssh => Ok(()),
            // If the output was not read completely, `kill` was called above, so death by a signal is expected. For
            // ssh, death by a signal is also accepted after the whole export was read.
            None if is_ssh || !is_whole => Ok(()),
            None => Err(format!("{name} was killed by a signal")),
            Some(NOT_FOUND) if is_ssh && !is_whole => {
                Err("duke is not installed on that machine, or not in its PATH".to_owned())
            }
            Some(code) if last.is_empty() => Err(format!("{name} exited with code {code}")),
            Some(_) => Err(String::from_utf8_lossy(&last).into_owned()),
        }
    }
}

/// Returns the last [`KEPT`] bytes of `errors`, the standard error of ssh or rclone. Reads `errors` to the end, so
/// that ssh or rclone never blocks on a full pipe.
fn keep_last(mut errors: impl Read) -> Vec<u8> {
    let mut last = Vec::new();
    loop {
        match errors.by_ref().take(KEPT).read_to_end(&mut last) {
            Ok(0) => return last,
            Err(error) if error.kind() != io::ErrorKind::Interrupted => return last,
            _ => {}
        }
        let most = usize::try_from(KEPT).expect("KEPT is a few KiB");
        last.drain(..last.len().saturating_sub(most));
    }
}

/// Returns the last message of ssh or rclone. A message continues on lines that are indented or begin with
/// `caused by:`. The result includes the causes, but neither the indented lines nor the log level that rclone puts
/// before a message.
fn last_message(messages: &[u8]) -> Vec<u8> {
    let lines = messages.trim_ascii_end().rsplit(|byte| *byte == b'\n');
    let mut starts = lines.filter(|line| !matches!(line.first(), None | Some(b' ' | b'\t' | b'\r')));
    let mut message = starts.next().unwrap_or(messages).trim_ascii().to_vec();
    while message.starts_with(b"caused by: ")
        && let Some(earlier) = starts.next()
    {
        message = [earlier.trim_ascii(), b"; ", &message].concat();
    }
    let levels = [&b"NOTICE: "[..], b"ERROR : ", b"CRITICAL: "];
    match levels.iter().find_map(|level| message.strip_prefix(*level)) {
        Some(text) => text.to_vec(),
        None => message,
    }
}

/// Appends `word` in single quotes. Between single quotes, only the single quote itself is special to the shell.
fn quote(word: &[u8], into: &mut Vec<u8>) {
    into.push(b'\'');
    for byte in word {
        match byte {
            b'\'' => into.extend_from_slice(b"'\\''"),
            byte => into.push(*byte),
        }
    }
    into.push(b'\'');
}

/// Input of an import.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Input {
    /// File that contains an export, a list or a snapshot.
    File(PathBuf),
    Standard,
    /// Remote machine that runs duke to create the export.
    Remote(Remote),
    /// Path on an rclone remote. rclone lists the objects below this path.
    Rclone(RclonePath),
}

/// Stream of an input's bytes, and the ssh or rclone process that sends them, if any.
pub(crate) type Opened = (Box<dyn Read + Send>, Option<Session>);

impl Input {
    pub(crate) fn open(&self) -> Result<Opened, String> {
        match self {
            Self::File(path) => {
                let file = File::open(path).map_err(|error| cannot_read(&error))?;
                Ok((Box::new(file), None))
            }
            Self::Standard => {
                streams::input().map_err(|error| cannot_read(&error))?;
                Ok((Box::new(io::stdin()), None))
            }
            Self::Remote(remote) => Session::start(Program::Ssh, remote.command()),
            Self::Rclone(path) => Session::start(Program::Rclone, path.command()),
        }
    }

    /// Returns the rclone path if its unfinished uploads should also be listed.
    pub(crate) fn with_uploads(&self) -> Option<&RclonePath> {
        match self {
            Self::Rclone(path) => Some(path).filter(|path| path.has_uploads()),
            Self::File(_) | Self::Standard | Self::Remote(_) => None,
        }
    }

    /// Returns the name of the input for messages, escaped for a terminal.
    pub(crate) fn name(&self) -> String {
        match self {
            Self::File(path) => escape_path(path),
            Self::Standard => "standard input".to_owned(),
            Self::Remote(remote) => escape(remote.host().as_bytes()).into_owned(),
            Self::Rclone(path) => escape(path.target()).into_owned(),
        }
    }

    pub(crate) fn title(&self) -> PathBuf {
        match self {
            Self::File(path) => path.clone(),
            Self::Standard => "-".into(),
            Self::Remote(remote) => remote.host().into(),
            Self::Rclone(path) => OsStr::from_bytes(path.target()).into(),
        }
    }

    /// Returns the prefix for the name of the input's root, which distinguishes the roots of several inputs. The prefix
    /// is empty if the only input is a file or standard input. For an rclone remote, returns the complete name of the
    /// root instead of a prefix.
    pub(crate) fn label(&self, inputs: usize) -> Vec<u8> {
        let mut label = match self {
            Self::Remote(remote) => remote.host().as_bytes().to_vec(),
            Self::Rclone(path) => return path.target().to_vec(),
            _ if inputs == 1 => return Vec::new(),
            Self::File(path) => path.as_os_str().as_bytes().to_vec(),
            Self::Standard => b"-".to_vec(),
        };
        label.push(b':');
        label
    }

    pub(crate) fn host(&self) -> Option<String> {
        match self {
            Self::Remote(remote) => Some(remote.host().to_owned()),
            Self::File(_) | Self::Standard | Self::Rclone(_) => None,
        }
    }
}

/// Returns a host number for each input, so that equal inode numbers on different machines do not count as hard links.
/// The host of an export in a file is not known here, so each file gets its own number.
pub(crate) fn hosts(inputs: &[Input]) -> impl Iterator<Item = u32> {
    inputs.iter().enumerate().map(|(index, input)| {
        let is_same = |other: &Input| match (input, other) {
            (Input::Remote(input), Input::Remote(other)) => input.is_on_host_of(other),
            _ => false,
        };
        number(inputs[..index].iter().position(is_same).unwrap_or(index))
    })
}

/// Converts the number of inputs, or the position of an input, to a `u32`.
pub(crate) fn number(inputs: usize) -> u32 {
    u32::try_from(inputs).expect("memory holds fewer than 2^32 inputs")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn remote(word: &str) -> Result<Remote, &'static str> {
        Remote::parse(OsStr::new(word), vec!["-x".into()]).expect("it begins with ssh://")
    }

    fn words_of(word: &str) -> Vec<String> {
        let command = remote(word).unwrap().command();
        command.get_args().map(|word| word.to_str().unwrap().to_owned()).collect()
    }

    #[test]
    fn a_remote_path_becomes_arguments_of_ssh() {
        assert_eq!(Remote::parse(OsStr::new("./ssh://a/b"), Vec::new()), None);
        assert_eq!(words_of("ssh://box/srv"), ["--", "box", "duke -q -c -o - '-x' -- '/srv'"]);
        assert_eq!(words_of("ssh://box"), ["--", "box", "duke -q -c -o - '-x'"]);
        assert_eq!(words_of("ssh://me@box:2222/")[..4], ["-p", "2222", "--", "me@box"]);
        assert_eq!(words_of("ssh://[::1]:22/")[..4], ["-p", "22", "--", "::1"]);
    }

    #[test]
    fn no_path_is_interpreted_by_the_shell() {
        let script = words_of("ssh://box/a'; rm -rf $HOME `x` \"\\\n*")[2].clone();
        assert!(script.ends_with(" -- '/a'\\''; rm -rf $HOME `x` \"\\\n*'"), "{script}");
    }

    #[test]
    fn an_invalid_host_is_rejected() {
        for word in
            ["-oProxyCommand=x", "", "a b", "me@", "@box", "[::1", "[::1]22", "box:x", "box:99999", "-l@box"]
        {
            assert!(remote(&format!("ssh://{word}/")).is_err(), "{word}");
        }
    }

    #[test]
    fn the_end_of_a_long_error_output_is_kept() {
        let messages: Vec<u8> =
            (0..30_000_u32).flat_map(|number| format!("{number}\n").into_bytes()).collect();
        let kept = keep_last(messages.as_slice());
        assert!(kept.len() == 4096 && kept.ends_with(b"29998\n29999\n"), "{}", kept.len());
    }

    #[test]
    fn the_last_message_has_its_causes_and_no_level() {
        let last = |messages: &str| String::from_utf8(last_message(messages.as_bytes())).unwrap();
        assert_eq!(last("first\nsecond\n  more of it\n"), "second");
        assert_eq!(last("NOTICE: Failed to lsjson: denied\n"), "Failed to lsjson: denied");
        assert_eq!(
            last("x\nRequestError: failed\ncaused by: Get /\ncaused by: EOF\n"),
            "RequestError: failed; caused by: Get /; caused by: EOF"
        );
        assert_eq!(last("caused by: EOF"), "caused by: EOF");
        assert_eq!(last("  indented only\n"), "indented only");
        assert_eq!(last(""), "");
    }
}
