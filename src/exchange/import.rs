//! A tree from exports: files, standard input, or another machine, read one after another in the background.
//!
//! It is used like a scan: the tree grows while it is read and can be looked at any time, it can be stopped, and it says how
//! it ended. Nothing of it is on this machine, so nothing in it can be read again or changed.
//!
//! Knows no view. Invariant: an export that cannot be read to its end leaves what came before, and is named with the byte.

use std::cell::RefCell;
use std::fs::File;
use std::io::{self, Read};
use std::ops::ControlFlow;
use std::os::unix::ffi::{OsStrExt, OsStringExt};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::PathBuf;
use std::time::{Duration, Instant};

use super::builder::{Builder, Counts};
use super::lexer::{Fault, Lexer, Pulse, Reason};
use super::ncdu::Reader;
use super::packing::unpack;
use super::remote::{Remote, Session};
use super::words;
use crate::platform::streams;
use crate::scan::{Outcome, Progress};
use crate::sync::{Arc, AtomicBool, Condvar, Mutex, Ordering, PoisonError, lock};
use crate::text::{escape, escape_path};
use crate::tree::{DirId, Tree, links};

/// Between two publications while bytes come without a pause.
const PERIOD: Duration = Duration::from_millis(100);

/// Where an export is.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Input {
    /// In a file.
    File(PathBuf),
    /// On standard input.
    Standard,
    /// On another machine, which makes it now.
    Remote(Remote),
}

/// Where a root comes from.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Provenance {
    /// The machine, as far as it is known.
    pub host: Option<String>,
    /// When it was scanned, in seconds since 1970, as far as that is known.
    pub scanned_at: Option<i64>,
}

/// A running or finished import.
#[derive(Clone)]
pub struct Import {
    shared: Arc<Shared>,
}

struct Shared {
    tree: Arc<Tree>,
    inputs: Vec<Input>,
    /// Set once by whoever stops the import, polled at every chunk. `Relaxed`: it guards no data.
    stop: AtomicBool,
    progress: Mutex<(Counts, DirId)>,
    started: Instant,
    state: Mutex<State>,
    changed: Condvar,
}

#[derive(Default)]
struct State {
    /// Of the roots that have begun, in their order.
    roots: Vec<Provenance>,
    end: Option<(Outcome, Duration)>,
}

impl Import {
    /// Begins to read `inputs` in the background.
    ///
    /// # Errors
    /// When there can be no thread.
    pub fn start(inputs: Vec<Input>) -> io::Result<Self> {
        let shared = Arc::new(Shared {
            tree: Arc::default(),
            inputs,
            stop: AtomicBool::new(false),
            progress: Mutex::new((Counts::default(), DirId::TOP)),
            started: Instant::now(),
            state: Mutex::default(),
            changed: Condvar::new(),
        });
        let worker = Arc::clone(&shared);
        std::thread::Builder::new().name("import".into()).spawn(move || worker.run())?;
        Ok(Self { shared })
    }

    /// The tree, complete or still growing.
    pub fn tree(&self) -> &Arc<Tree> {
        &self.shared.tree
    }

    /// What the exports are called.
    pub fn names(&self) -> Vec<PathBuf> {
        self.shared.inputs.iter().map(Input::title).collect()
    }

    /// How much was read so far.
    pub fn progress(&self) -> Progress {
        let (counts, id) = *lock(&self.shared.progress);
        let path = || std::ffi::OsString::from_vec(self.shared.tree.path(id)).into();
        Progress {
            entries: counts.entries,
            disk: counts.disk,
            errors: counts.errors,
            expected: None,
            current: (id != DirId::TOP).then(path),
        }
    }

    /// Asks the import to end soon. What was read stays.
    pub fn stop(&self) {
        self.shared.stop.store(true, Ordering::Relaxed);
    }

    /// How it ended; none while it runs.
    pub fn outcome(&self) -> Option<Outcome> {
        lock(&self.shared.state).end.as_ref().map(|(outcome, _)| outcome.clone())
    }

    /// How long it took, or has taken so far.
    pub fn elapsed(&self) -> Duration {
        let state = lock(&self.shared.state);
        state.end.as_ref().map_or_else(|| self.shared.started.elapsed(), |(_, took)| *took)
    }

    /// Where the roots come from, in their order, as far as they have begun.
    pub fn provenance(&self) -> Vec<Provenance> {
        lock(&self.shared.state).roots.clone()
    }

    /// Waits until it is over, at most for `limit`, and says how it ended.
    pub fn wait(&self, limit: Duration) -> Option<Outcome> {
        let state = lock(&self.shared.state);
        let waited = self.shared.changed.wait_timeout_while(state, limit, |state| state.end.is_none());
        let (state, _) = waited.unwrap_or_else(PoisonError::into_inner);
        state.end.as_ref().map(|(outcome, _)| outcome.clone())
    }

    /// Waits until there is something to look at, or it is over. Meanwhile others may ask at the terminal for a password.
    pub fn wait_for_root(&self) {
        let state = lock(&self.shared.state);
        let is_nothing = |state: &mut State| state.roots.is_empty() && state.end.is_none();
        drop(self.shared.changed.wait_while(state, is_nothing).unwrap_or_else(PoisonError::into_inner));
    }
}

impl Shared {
    fn run(&self) {
        let outcome = match catch_unwind(AssertUnwindSafe(|| self.read_all())) {
            Ok(_) if self.is_stopped() => Outcome::Stopped,
            Ok(faults) if faults.is_empty() => Outcome::Complete,
            Ok(faults) => Outcome::Broken(faults),
            Err(panic) => Outcome::Panicked(crate::job::message(panic.as_ref())),
        };
        lock(&self.state).end = Some((outcome, self.started.elapsed()));
        self.changed.notify_all();
    }

    fn is_stopped(&self) -> bool {
        self.stop.load(Ordering::Relaxed)
    }

    /// What could not be read.
    fn read_all(&self) -> Vec<String> {
        let builder = RefCell::new(Builder::new(&self.tree));
        let mut faults = Vec::new();
        for input in &self.inputs {
            if self.is_stopped() {
                break;
            }
            if let Err(reason) = self.read(input, &builder) {
                builder.borrow_mut().break_off();
                faults.push(format!("{}: {}", input.name(), escape(reason.as_bytes())));
            }
        }
        self.note(&builder.borrow());
        self.tree.add_linked(builder.into_inner().finish());
        links::settle(&self.tree);
        faults
    }

    fn read(&self, input: &Input, builder: &RefCell<Builder<'_>>) -> Result<(), String> {
        let (reader, session) = input.open()?;
        let chunks = unpack(reader).map_err(|error| words(&error))?;
        let published = RefCell::new(Instant::now());
        let pulse = |pulse| {
            if pulse == Pulse::Idle || published.borrow().elapsed() >= PERIOD {
                builder.borrow_mut().publish();
                self.note(&builder.borrow());
                *published.borrow_mut() = Instant::now();
            }
            if self.is_stopped() { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
        };
        let mut lexer = Lexer::new(chunks, &pulse);
        let label = input.label(self.inputs.len());
        let result = self.document(&mut lexer, builder, input, &label);
        drop(lexer);
        // What ssh says explains why there was nothing to read.
        session.map_or(Ok(()), |session| session.finish(result.is_ok()))?;
        result.map_err(|fault| fault.to_string())
    }

    fn document(
        &self,
        lexer: &mut Lexer<'_>,
        builder: &RefCell<Builder<'_>>,
        input: &Input,
        label: &[u8],
    ) -> Result<(), Fault> {
        let mut reader = Reader::new(lexer, builder, self.tree.devices(), label);
        let head = reader.head()?;
        builder.borrow_mut().publish();
        let provenance = Provenance { host: input.host(), scanned_at: head.timestamp };
        lock(&self.state).roots.push(provenance);
        self.changed.notify_all();
        match reader.body() {
            Err(Fault { reason: Reason::Stopped, .. }) => {
                builder.borrow_mut().break_off();
                Ok(())
            }
            result => result,
        }
    }

    fn note(&self, builder: &Builder<'_>) {
        *lock(&self.progress) = (builder.counts(), builder.current());
    }
}

type Opened = (Box<dyn Read + Send>, Option<Session>);

impl Input {
    fn open(&self) -> Result<Opened, String> {
        match self {
            Self::File(path) => {
                let file = File::open(path).map_err(|error| words(&error))?;
                Ok((Box::new(file), None))
            }
            Self::Standard => {
                streams::input().map_err(|error| words(&error))?;
                Ok((Box::new(io::stdin()), None))
            }
            Self::Remote(remote) => {
                let (reader, session) = remote.start()?;
                Ok((reader, Some(session)))
            }
        }
    }

    /// How it is called in messages.
    fn name(&self) -> String {
        match self {
            Self::File(path) => escape_path(path),
            Self::Standard => "standard input".to_owned(),
            Self::Remote(remote) => escape(remote.host().as_bytes()).into_owned(),
        }
    }

    fn title(&self) -> PathBuf {
        match self {
            Self::File(path) => path.clone(),
            Self::Standard => "-".into(),
            Self::Remote(remote) => remote.host().into(),
        }
    }

    /// What tells its root from those of others.
    fn label(&self, inputs: usize) -> Vec<u8> {
        let mut label = match self {
            Self::Remote(remote) => remote.host().as_bytes().to_vec(),
            _ if inputs == 1 => return Vec::new(),
            Self::File(path) => path.as_os_str().as_bytes().to_vec(),
            Self::Standard => b"-".to_vec(),
        };
        label.push(b':');
        label
    }

    fn host(&self) -> Option<String> {
        match self {
            Self::Remote(remote) => Some(remote.host().to_owned()),
            Self::File(_) | Self::Standard => None,
        }
    }
}
