//! Imports: an import reads exports into a single tree, one export after another, in the background. The exports are in
//! files, on standard input, or on other machines.
//!
//! An import is used like a scan: the tree can be shown at any time while it grows, reading can be stopped, and the
//! outcome is reported. Entries of the tree cannot be rescanned or changed, because the files may be on another
//! machine.
//!
//! Invariant: if an export is damaged or ends early, the entries read so far are kept, and the error message contains
//! the position: a byte offset or, in a list, a line number.

use std::cell::{Cell, RefCell};
use std::io;
use std::ops::ControlFlow;
use std::os::unix::ffi::OsStringExt;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::PathBuf;
use std::time::{Duration, Instant};

use super::import_snapshot::{KnownFileSystems, SnapshotInput};
pub use super::remote::Input;
use super::remote::{Session, hosts, number};
use super::uploads::read_uploads;
use crate::base::job::JobError;
use crate::base::sync::{Arc, AtomicBool, Condvar, Mutex, Ordering, PoisonError, lock};
use crate::base::text::escape;
use crate::formats::builder::{Builder, Counts};
use crate::formats::compression::unpack;
use crate::formats::flat::Provenance;
use crate::formats::json_lexer::{Fault, Lexer, Pulse, Reason};
use crate::formats::lists::{
    HostNumbers, LayoutError, ListOptions, ListPreset, ListReader, LiveTree, ONLY_FOR_LISTS, Recognized,
    RecordReader, RootLabel, recognize,
};
use crate::formats::ncdu_binary::is_binary_export;
use crate::formats::ncdu_read::Reader;
use crate::formats::snapshot::{OpenError, Snapshot, is_snapshot, open_by, open_bytes};
use crate::platform::memory::block_file::Access;
use crate::scan::{Outcome, Progress};
use crate::tree::{DirId, Tree, hard_links};

/// Interval at which entries are published while bytes keep arriving.
const PERIOD: Duration = Duration::from_millis(100);

/// Running or finished import.
#[derive(Clone)]
pub struct Import {
    shared: Arc<Shared>,
}

struct Shared {
    tree: Arc<Tree>,
    inputs: Vec<Input>,
    lists: ListOptions,
    /// Flag that stops the import when it is set. Checked for every chunk of an input, and after every directory of
    /// a snapshot. `Relaxed` ordering is enough, because the flag guards no data.
    stop: AtomicBool,
    progress: Mutex<(Counts, DirId)>,
    started: Instant,
    state: Mutex<State>,
    changed: Condvar,
}

#[derive(Default)]
struct State {
    /// Origins of the roots that the import has begun to read, in reading order.
    roots: Vec<Provenance>,
    /// `true` once the beginning of an input has been read and its format is known.
    has_begun: bool,
    end: Option<(Outcome, Duration)>,
}

impl Import {
    /// Starts reading `inputs` in the background.
    ///
    /// # Errors
    /// Returns an error if no thread can be started.
    pub fn start(inputs: Vec<Input>) -> io::Result<Self> {
        Self::start_with(inputs, ListOptions::default())
    }

    /// Starts reading `inputs` in the background. `lists` contains the settings for reading lists.
    ///
    /// # Errors
    /// Returns an error if no thread can be started.
    pub fn start_with(inputs: Vec<Input>, lists: ListOptions) -> io::Result<Self> {
        let shared = Arc::new(Shared {
            tree: Arc::default(),
            inputs,
            lists,
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

    /// Returns the tree, complete or still growing.
    pub fn tree(&self) -> &Arc<Tree> {
        &self.shared.tree
    }

    /// Returns `true` if every input is a path on an rclone remote.
    pub(crate) fn is_of_rclone(&self) -> bool {
        self.shared.inputs.iter().all(|input| matches!(input, Input::Rclone(_)))
    }

    /// Returns the display names of the exports.
    pub fn names(&self) -> Vec<PathBuf> {
        self.shared.inputs.iter().map(Input::title).collect()
    }

    pub fn progress(&self) -> Progress {
        let (counts, id) = *lock(&self.shared.progress);
        let path = || std::ffi::OsString::from_vec(self.shared.tree.path(id)).into();
        Progress {
            silent: Vec::new(),
            entries: counts.entries,
            disk: counts.disk,
            errors: counts.errors,
            expected: None,
            current: (id != DirId::TOP).then(path),
        }
    }

    /// Asks the import to stop soon. The tree keeps the entries read so far.
    pub fn stop(&self) {
        self.shared.stop.store(true, Ordering::Relaxed);
    }

    /// Returns the outcome, or `None` while the import is running.
    pub fn outcome(&self) -> Option<Outcome> {
        lock(&self.shared.state).end.as_ref().map(|(outcome, _)| outcome.clone())
    }

    /// Returns the time since the import began or, once it has ended, its duration.
    pub fn elapsed(&self) -> Duration {
        let state = lock(&self.shared.state);
        state.end.as_ref().map_or_else(|| self.shared.started.elapsed(), |(_, took)| *took)
    }

    /// Returns the origins of the roots that the import has begun to read, in reading order.
    pub fn provenance(&self) -> Vec<Provenance> {
        lock(&self.shared.state).roots.clone()
    }

    /// Waits up to `limit` for the import to end. Returns the outcome, or `None` if the import has not ended.
    pub fn wait(&self, limit: Duration) -> Option<Outcome> {
        let state = lock(&self.shared.state);
        let waited = self.shared.changed.wait_timeout_while(state, limit, |state| state.end.is_none());
        let (state, _) = waited.unwrap_or_else(PoisonError::into_inner);
        state.end.as_ref().map(|(outcome, _)| outcome.clone())
    }

    /// Waits until the beginning of an input has been read or the import has ended. Meanwhile, ssh may ask
    /// for a password on the terminal.
    pub fn wait_for_root(&self) {
        let state = lock(&self.shared.state);
        let is_nothing = |state: &mut State| !state.has_begun && state.end.is_none();
        drop(self.shared.changed.wait_while(state, is_nothing).unwrap_or_else(PoisonError::into_inner));
    }
}

impl Shared {
    fn run(&self) {
        let outcome = match catch_unwind(AssertUnwindSafe(|| self.read_all())) {
            Ok(_) if self.is_stopped() => Outcome::Stopped,
            Ok(faults) if faults.is_empty() => Outcome::Complete,
            Ok(faults) => Outcome::Broken(faults),
            Err(panic) => Outcome::Panicked(crate::base::job::message(panic.as_ref())),
        };
        lock(&self.state).end = Some((outcome, self.started.elapsed()));
        self.changed.notify_all();
    }

    fn is_stopped(&self) -> bool {
        self.stop.load(Ordering::Relaxed)
    }

    /// Reads all inputs and returns the errors.
    fn read_all(&self) -> Vec<String> {
        let builder = RefCell::new(Builder::new(&self.tree));
        let mut names = HostNumbers::from(number(self.inputs.len()));
        let mut faults = Vec::new();
        let mut known = KnownFileSystems::new();
        for (input, host) in self.inputs.iter().zip(hosts(&self.inputs)).take_while(|_| !self.is_stopped()) {
            let label = input.label(self.inputs.len());
            let mut snapshot = |file| self.read_snapshot(file, &label, &mut known, &builder);
            let read = match input {
                Input::File(path) if self.lists == ListOptions::default() && is_snapshot(path) => {
                    snapshot(open_by(path, Some(Access::Mapped)))
                }
                // A binary export cannot be imported. If it is the only input, the user must have given list settings:
                // without them, `Source::start` would have opened the file as a `SnapshotSource`.
                Input::File(path) if is_binary_export(path) => Err(match self.inputs.len() {
                    1 => message(&format!("this is a binary export; {ONLY_FOR_LISTS}")),
                    _ => message("a binary export cannot be combined with other -f files"),
                }),
                _ => self
                    .read(input, host, &builder, &mut names)
                    .and_then(|bytes| bytes.map_or(Ok(()), |bytes| snapshot(open_bytes(bytes)))),
            };
            if let Err(reasons) = read {
                builder.borrow_mut().break_off();
                faults.extend(reasons.into_iter().map(|reason| format!("{}: {reason}", input.name())));
            }
        }
        self.note(&builder.borrow(), Counts::default());
        self.tree.add_linked(builder.into_inner().finish());
        hard_links::subtract_repeats(&self.tree);
        faults
    }

    /// Reads an input into the tree. If the input is a snapshot, returns its bytes instead. An error consists of one or
    /// more messages, which are escaped for a terminal.
    fn read<'t>(
        &'t self,
        input: &Input,
        host: u32,
        builder: &RefCell<Builder<'t>>,
        names: &mut HostNumbers,
    ) -> Result<Option<Vec<u8>>, Vec<String>> {
        let (reader, mut session) = input.open().map_err(|reason| message(&reason))?;
        let chunks = unpack(reader).map_err(|error| message(&JobError::no_thread(error).to_string()))?;
        let published = RefCell::new(Instant::now());
        let counts = Cell::new(Counts::default());
        let live = RefCell::new(None::<LiveTree<'_>>);
        let pulse = |pulse| {
            if pulse == Pulse::Idle || published.borrow().elapsed() >= PERIOD {
                builder.borrow_mut().publish();
                live.borrow_mut().iter_mut().for_each(LiveTree::publish);
                self.note(&builder.borrow(), counts.get());
                *published.borrow_mut() = Instant::now();
            }
            if self.is_stopped() { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
        };
        let mut records = RecordReader::new(chunks, &pulse);
        let label = input.label(self.inputs.len());
        let lists = match input {
            Input::Rclone(_) => &ListOptions { preset: Some(ListPreset::Rclone), ..ListOptions::default() },
            _ => &self.lists,
        };
        let root = match input {
            Input::Rclone(_) => RootLabel::Name(&label),
            _ => RootLabel::Prefix(&label),
        };
        let result = match recognize(&mut records, lists) {
            Err(LayoutError::Input(reason)) => Err(message(&Fault { offset: 0, reason }.to_string())),
            Err(LayoutError::Settings(reason)) => Err(message(reason)),
            Ok(Recognized::List(layout)) => ListReader::new(layout, lists, &self.tree, host)
                .map_err(|reason| message(&reason))
                .and_then(|list| {
                    let target = (builder, &counts, &live);
                    self.list(list, records, target, (root, host), (names, session.take()), input)
                })
                .map(|()| None),
            Ok(other) if *lists != ListOptions::default() => {
                let is_snapshot = matches!(other, Recognized::Snapshot);
                let reason = if is_snapshot { "this is a snapshot" } else { "not a list" };
                Err(message(&format!("{reason}; {ONLY_FOR_LISTS}")))
            }
            Ok(Recognized::Snapshot) => match records.rest() {
                Ok(bytes) => Ok(Some(bytes)),
                Err(Reason::Stopped) => Ok(None),
                Err(reason) => Err(message(&Fault { offset: 0, reason }.to_string())),
            },
            Ok(Recognized::Other) => {
                let mut lexer = records.into_lexer();
                let result = self.document(&mut lexer, builder, (input, host), &label);
                result.map(|()| None).map_err(|fault| message(&fault.to_string()))
            }
        };
        // An error from ssh takes precedence, because it explains an empty export better than a parse error does.
        session
            .map_or(Ok(()), |session| session.finish(result.is_ok()))
            .map_err(|reason| message(&reason))?;
        result
    }

    /// Reads a list. If duke has requested the list from rclone, adds each entry to the tree as it is read. Adds the
    /// entries of any other list only after the end of the list.
    fn list<'t>(
        &'t self,
        mut list: ListReader<'t>,
        mut records: RecordReader<'_>,
        (builder, counts, live): (&RefCell<Builder<'t>>, &Cell<Counts>, &RefCell<Option<LiveTree<'t>>>),
        (root, host): (RootLabel<'_>, u32),
        (names, session): (&mut HostNumbers, Option<Session>),
        input: &Input,
    ) -> Result<(), Vec<String>> {
        self.begin(Vec::new());
        let has_object = |bytes: &[u8]| input.with_uploads().is_some() || bytes.contains(&b'{');
        let begun = match root {
            RootLabel::Name(name) => records.peek(has_object).map(|head| has_object(head).then_some(name)),
            RootLabel::Prefix(_) => Ok(None),
        };
        let result = begun.and_then(|name| {
            if let Some(name) = name {
                *live.borrow_mut() = Some(LiveTree::new(&self.tree, &mut builder.borrow_mut(), name, host));
                self.begin(vec![Provenance { host: None, scanned_at: None }]);
            }
            list.read(&mut records, names, counts, live)
        });
        let number = records.number();
        drop(records);
        counts.set(Counts::default());
        let mut sent = session.map_or(Ok(()), |session| session.finish(result.is_ok()));
        let mut messages = if let Some(mut live) = live.take() {
            if sent.is_err() {
                live.fail();
            }
            if result == Err(Reason::Stopped) {
                live.stop();
            }
            if let (Some(path), Ok(()), Ok(())) = (input.with_uploads(), &result, &sent) {
                sent = read_uploads(path, &mut live, || self.is_stopped());
            }
            builder.borrow_mut().add_counts(live.finish());
            list.into_messages()
        } else {
            if sent.is_err() {
                list.fail();
            }
            let (roots, messages) = list.write(&mut builder.borrow_mut(), root);
            self.begin(roots);
            messages
        };
        match result {
            Ok(()) => {}
            Err(Reason::Stopped) => builder.borrow_mut().break_off(),
            Err(Reason::Wrong(reason) | Reason::Unreadable(reason)) => {
                messages.push(format!("line {number}: {}", escape(reason.as_bytes())));
            }
        }
        sent.map_err(|reason| message(&reason))?;
        if messages.is_empty() { Ok(()) } else { Err(messages) }
    }

    /// Adds the origins of roots, and wakes the threads that wait in [`Import::wait_for_root`].
    fn begin(&self, roots: Vec<Provenance>) {
        let mut state = lock(&self.state);
        state.roots.extend(roots);
        state.has_begun = true;
        self.changed.notify_all();
    }

    fn read_snapshot(
        &self,
        file: Result<Snapshot, OpenError>,
        label: &[u8],
        known: &mut KnownFileSystems,
        builder: &RefCell<Builder<'_>>,
    ) -> Result<(), Vec<String>> {
        let file = file.map_err(|error| message(&error.to_string()))?;
        let snapshot =
            SnapshotInput::new(file, &self.tree, known).map_err(|damage| message(&damage.to_string()))?;
        snapshot.read(builder, label, || !self.is_stopped());
        builder.borrow_mut().publish();
        self.note(&builder.borrow(), Counts::default());
        self.begin(snapshot.provenance());
        Ok(())
    }

    fn document(
        &self,
        lexer: &mut Lexer<'_>,
        builder: &RefCell<Builder<'_>>,
        (input, host): (&Input, u32),
        label: &[u8],
    ) -> Result<(), Fault> {
        let mut reader = Reader::new(lexer, builder, self.tree.devices().of_host(host), label);
        let head = reader.head()?;
        builder.borrow_mut().publish();
        self.begin(vec![Provenance { host: input.host(), scanned_at: head.timestamp }]);
        match reader.body() {
            Err(Fault { reason: Reason::Stopped, .. }) => {
                builder.borrow_mut().break_off();
                Ok(())
            }
            result => result,
        }
    }

    /// Updates the progress. `waiting` counts the entries that have been read but are not in the tree yet.
    fn note(&self, builder: &Builder<'_>, waiting: Counts) {
        let mut counts = builder.counts();
        counts.entries += waiting.entries;
        counts.disk = counts.disk.saturating_add(waiting.disk);
        counts.errors += waiting.errors;
        *lock(&self.progress) = (counts, builder.current());
    }
}

/// Returns an error with a single message: `reason`, escaped for a terminal.
fn message(reason: &str) -> Vec<String> {
    vec![escape(reason.as_bytes()).into_owned()]
}
