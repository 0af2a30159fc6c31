//! Names of users and groups.
//!
//! Names may come from a server (nsswitch.conf(5), Open Directory), in which case a lookup waits for that server.
//!
//! The static binaries are built with musl libc, which reads only `/etc/passwd` and `/etc/group`. For each user or
//! group missing from these files, the static binaries therefore run getent(1) once. getent(1) uses the system's C
//! library.
//!
//! Invariant: a user or group without a name is not an error, because files may have owners from another system.

use std::collections::HashMap;
use std::io::Read;
use std::path::PathBuf;
use std::process::{Command, Stdio};
use std::time::Duration;

use nix::unistd::{Gid, Group, Uid, User, geteuid};

use crate::base::sync::{Mutex, OnceLock, lock};

/// Returns the effective user ID of this process.
pub fn own() -> u32 {
    geteuid().as_raw()
}

/// Returns the home directory of this process's user, according to the user database.
pub fn own_home() -> Option<PathBuf> {
    User::from_uid(geteuid()).ok().flatten().map(|user| user.dir)
}

/// Returns the name of the user with this ID, or `None` if neither `getpwuid_r(3)` nor `getent(1)` finds a name.
pub fn user(number: u32) -> Option<String> {
    known_user(number).or_else(|| name_from_getent(Database::Users, number))
}

fn known_user(number: u32) -> Option<String> {
    User::from_uid(Uid::from_raw(number)).ok().flatten().map(|user| user.name)
}

/// Returns the name of the group with this ID, or `None` if neither `getgrgid_r(3)` nor `getent(1)` finds a name.
pub fn group(number: u32) -> Option<String> {
    let known = Group::from_gid(Gid::from_raw(number)).ok().flatten().map(|group| group.name);
    known.or_else(|| name_from_getent(Database::Groups, number))
}

/// Returns `true` if `group` is the private group of `user`: a group with the user's name and no other members.
pub fn is_only_member(user: u32, group: u32) -> bool {
    let Some(name) = known_user(user) else { return false };
    let group = Group::from_gid(Gid::from_raw(group)).ok().flatten();
    group.is_some_and(|group| group.name == name && group.mem.iter().all(|member| *member == name))
}

/// Database of getent(1).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
enum Database {
    Users,
    Groups,
}

/// Program that looks up names with the system's C library. The path is fixed, because root must not run a program that
/// another user put on the search path.
const GETENT: &str = "/usr/bin/getent";
/// Maximum number of bytes read from the output of getent(1). The name comes first, so the rest is not needed.
const LONGEST: u64 = 4096;
/// Maximum time to wait for getent(1), which may contact a server.
const PATIENCE: Duration = Duration::from_secs(2);

/// Results of getent(1) so far; `None` for IDs without a name.
type Answers = HashMap<(Database, u32), Option<String>>;

/// Returns the name that getent(1) finds for an ID, asking only once. Always returns `None` in builds without musl.
fn name_from_getent(database: Database, number: u32) -> Option<String> {
    static ANSWERS: OnceLock<Mutex<Answers>> = OnceLock::new();
    if !cfg!(target_env = "musl") {
        return None;
    }
    let answers = ANSWERS.get_or_init(Mutex::default);
    let answer = lock(answers).get(&(database, number)).cloned();
    answer.unwrap_or_else(|| {
        let answer = getent(GETENT, database, number, PATIENCE);
        lock(answers).insert((database, number), answer.clone());
        answer
    })
}

/// Returns the name that `program` prints for an ID; `None` if the program or the name does not exist, or if `program`
/// does not answer within `patience`.
fn getent(program: &str, database: Database, number: u32, patience: Duration) -> Option<String> {
    let database = match database {
        Database::Users => "passwd",
        Database::Groups => "group",
    };
    let mut command = Command::new(program);
    command.args([database, "--", &number.to_string()]);
    let mut child = command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::null()).spawn().ok()?;
    let (sender, receiver) = std::sync::mpsc::channel();
    let output = child.stdout.take()?;
    // A thread reads the output while the program runs, because the line of a group with many members may not fit into
    // the pipe's buffer.
    let reader = std::thread::Builder::new().name("getent".into()).spawn(move || {
        let mut line = Vec::new();
        let read = output.take(LONGEST).read_to_end(&mut line);
        let _ = sender.send(read.map(|_| line)); // sending fails after the time limit
    });
    let line = reader.ok().and_then(|_| receiver.recv_timeout(patience).ok());
    // Kill the program if it is still running, and wait to release its process ID. Errors do not affect the name.
    let _ = child.kill();
    let _ = child.wait();
    let line = String::from_utf8(line?.ok()?).ok()?;
    line.split_once(':').map(|(name, _)| name.to_owned()).filter(|name| !name.is_empty())
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::time::Instant;

    /// `true` on Linux, the only system on which these tests start programs.
    const HAS_PROGRAMS: bool = cfg!(any(target_env = "gnu", target_env = "musl"));

    #[test]
    fn names_are_those_that_getent_prints() {
        if !HAS_PROGRAMS || !std::path::Path::new(GETENT).exists() {
            println!("SKIPPED: no {GETENT}");
            return;
        }
        let root = getent(GETENT, Database::Users, 0, PATIENCE);
        assert_eq!(root, user(0));
        assert_eq!(getent(GETENT, Database::Groups, 0, PATIENCE), group(0));
        assert_eq!(getent(GETENT, Database::Users, 4_294_967_000, PATIENCE), None, "nobody has this number");
    }

    #[test]
    fn a_program_that_does_not_answer_is_not_waited_for() {
        if !HAS_PROGRAMS {
            println!("SKIPPED: programs are started on Linux only");
            return;
        }
        let folder = tempfile::tempdir().unwrap();
        let script = |name: &str, text: &str| {
            let path = folder.path().join(name);
            std::fs::write(&path, text).unwrap();
            std::fs::set_permissions(&path, std::os::unix::fs::PermissionsExt::from_mode(0o755)).unwrap();
            path.to_str().unwrap().to_owned()
        };
        let began = Instant::now();
        let slow = script("slow", "#!/bin/sh\nexec sleep 60\n");
        assert_eq!(getent(&slow, Database::Users, 7, Duration::from_millis(100)), None);
        assert!(began.elapsed() < Duration::from_secs(30));
        let garbage = script("garbage", "#!/bin/sh\necho nothing\n");
        assert_eq!(getent(&garbage, Database::Users, 7, PATIENCE), None, "no field of a database");
        let long = script("long", "#!/bin/sh\nyes name:x:7: | head -c 1000000 | tr -d '\\n'\n");
        assert_eq!(getent(&long, Database::Groups, 7, PATIENCE).as_deref(), Some("name"));
        assert_eq!(getent("/nonexistent/getent", Database::Users, 7, PATIENCE), None);
        let named = script("named", "#!/bin/sh\necho \"$1-$3:x:7\"\n");
        assert_eq!(getent(&named, Database::Groups, 7, PATIENCE).as_deref(), Some("group-7"));
    }
}
