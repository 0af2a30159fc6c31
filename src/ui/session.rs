//! Event loop of the browser for one tree. It connects the terminal, the state, and background work.
//!
//! ```text
//! wait  ->  keys, ticks, results  ->  App::update  ->  effects  ->  a frame
//! ```
//!
//! Invariant: nothing here blocks on I/O to a scanned path, or on a job.

use std::collections::VecDeque;
use std::ffi::OsString;
use std::io;
use std::os::unix::ffi::{OsStrExt, OsStringExt};
use std::path::Path;
use std::time::{Duration, Instant};

use ratatui::Terminal;

use super::frame_writer::{FrameWriter, Output};
use super::loader::Sources;
use super::message::{Effect, Event};
use super::notice::Notice;
use super::operations::deletion::{DeletionMessage, Deletions};
use super::operations::export::{self, ExportMessage};
use super::operations::programs::{self, Launch, Ready};
use super::progress::{RescanMessage, ScanProgress};
use super::runner::{AtExit, Runner, TaskId, Update};
use super::sentences::FailedJob;
use super::terminal::{clipboard, input::Input, screen::Screen, tab_progress};
use super::{app::App, settings::Settings};
use crate::base::absolute::absolute;
use crate::base::clock;
use crate::base::job::{JobError, Pool};
use crate::base::sync::Arc;
use crate::platform::process::limits::processors;
use crate::platform::terminal::stops::stop_group;
use crate::scan::Scan;
use crate::source::baseline::Baseline;
use crate::source::save::SaveError;
use crate::source::{Source, SourceKind};

/// Interval between progress updates (ticks) while the tree is growing.
const TICK: Duration = Duration::from_millis(80);
/// Interval between checks of running jobs, so short that the user notices no delay.
const JOB_CHECK_INTERVAL: Duration = Duration::from_millis(10);

enum Message {
    Event(Event),
    /// Directory or file opened for a program that is about to use the terminal, or an error message.
    Ready(Arc<Result<Ready, String>>),
}

impl From<DeletionMessage> for Message {
    fn from(message: DeletionMessage) -> Self {
        Self::Event(Event::Deletion(message))
    }
}

#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct BrowserEnd {
    /// Marked paths to print, if the user asked for them.
    pub picked: Vec<Vec<u8>>,
    /// Absolute path of the directory shown when the user quit; `None` in the list of roots, a snapshot or an import.
    pub directory: Option<Vec<u8>>,
}

/// Next step after the user leaves a tree.
pub enum Left {
    Browser(BrowserEnd),
    Tree(Source),
}

pub struct Session<'s> {
    frames: FrameWriter<'s>,
    screen: &'s Screen,
    input: &'s mut Input,
    source: &'s Source,
    app: App<'s>,
    basis: Baseline,
    pool: Pool,
    runner: Runner<Message>,
    deletions: Deletions,
    /// Task that opens the directory for a shell, or the file for a pager, before the program is launched.
    preparing: Option<TaskId>,
    /// Running rescan, if there is one.
    rescan: Option<Scan>,
    /// Progress currently shown in the tab of the terminal.
    shown_on_tab: tab_progress::TabState,
    begun: Instant,
    next_tick: Instant,
    effects: VecDeque<Effect>,
}

impl<'s> Session<'s> {
    /// Starts a session for `source`. `basis` is the baseline for growth.
    pub fn new(
        terminal: &'s mut Terminal<Output>,
        screen: &'s Screen,
        input: &'s mut Input,
        source: &'s Source,
        settings: &Settings,
        basis: Baseline,
    ) -> io::Result<Self> {
        let begun = Instant::now();
        let size = terminal.size()?;
        let kind = source.kind();
        let roots = source.roots().iter().map(|root| titled(root, kind)).collect();
        let app = App::new(source.tree(), roots, settings, (size.width, size.height));
        let pool = Pool::new(processors())?;
        Ok(Self {
            frames: FrameWriter::new(terminal),
            screen,
            input,
            source,
            app,
            basis,
            pool,
            runner: Runner::default(),
            deletions: Deletions::default(),
            preparing: None,
            rescan: None,
            shown_on_tab: tab_progress::TabState::Nothing,
            begun,
            next_tick: begun,
            effects: VecDeque::new(),
        })
    }

    /// Moves the cursor to the entry with this name as soon as the entry exists.
    pub fn expect(&mut self, name: Vec<u8>) {
        self.app.cx.expect(name);
    }

    /// Runs until the browser ends, or until a scan of the parent directory replaces the tree.
    pub fn run(mut self) -> io::Result<Left> {
        self.app.update(Event::Clock(clock::now()));
        self.frames.draw(&mut self.app)?;
        self.source.end_head_start();
        // Delay the first tick, because a second frame drawn immediately would be as empty as the first.
        self.next_tick = Instant::now() + JOB_CHECK_INTERVAL;
        loop {
            // The outcome can change even without ticks, because damage in a snapshot is found only when the damaged
            // part is read.
            if !self.app.cx.wants_ticks() && self.source.outcome() != self.app.cx.scan.last.outcome {
                self.act(Event::ScanProgress(self.tick()));
            }
            self.frames.draw(&mut self.app)?;
            let wait = self.wait();
            let events = self.input.pending(wait, self.begun)?.unwrap_or_else(|| self.idle());
            // The clock is set first, so that the events are handled with the current time even after a long wait.
            self.app.update(Event::Clock(clock::now()));
            for event in events {
                if let Event::Key(_) = event {
                    // A key press cancels the launch of a program that is still being prepared.
                    self.runner.forget(self.preparing.take());
                }
                self.act(event);
            }
            if self.app.cx.wants_ticks() && Instant::now() >= self.next_tick {
                self.check_scans()?;
            }
            if self.app.cx.is_scanning() {
                self.source.set_viewed(self.app.cx.viewed_directories());
            }
            self.collect()?;
            while let Some(effect) = self.effects.pop_front() {
                if let Some(left) = self.carry_out(effect)? {
                    return Ok(left);
                }
            }
        }
    }

    /// Passes an event to the state, and queues the effects it causes.
    fn act(&mut self, event: Event) {
        self.effects.extend(self.app.update(event));
        self.frames.request();
    }

    /// Returns the maximum time to wait for input; `None` for no limit.
    fn wait(&mut self) -> Option<Duration> {
        let tick =
            self.app.cx.wants_ticks().then(|| self.next_tick.saturating_duration_since(Instant::now()));
        let job_check = (self.app.is_loading() || self.runner.is_busy()).then_some(JOB_CHECK_INTERVAL);
        let frame = self.frames.wait();
        let idle = self.app.idle_wait(self.begun.elapsed()).filter(|_| frame.is_none());
        [tick, job_check, idle, frame].into_iter().flatten().min()
    }

    /// Returns [`Event::Idle`] if that event is due. Must be called only when no input is pending.
    fn idle(&mut self) -> Vec<Event> {
        let now = self.begun.elapsed();
        let is_due = self.frames.wait().is_none() && self.app.idle_wait(now) == Some(Duration::ZERO);
        is_due.then_some(Event::Idle(now)).into_iter().collect()
    }

    fn tick(&self) -> ScanProgress {
        // Read the outcome before the progress. The scan publishes them in the opposite order, so an outcome always
        // comes with the final progress.
        let outcome = self.source.outcome();
        let (progress, elapsed) = (self.source.progress(), self.source.elapsed());
        ScanProgress { now: self.begun.elapsed(), progress, outcome, elapsed }
    }

    /// Passes the progress of the scan and the rescan to the app, and updates the progress in the terminal's tab.
    fn check_scans(&mut self) -> io::Result<()> {
        self.act(Event::ScanProgress(self.tick()));
        if let Some(rescan) = &self.rescan {
            // Read the outcome before the progress; see `tick`.
            let outcome = rescan.outcome();
            let message = RescanMessage { progress: rescan.progress(), outcome };
            if message.outcome.is_some() {
                self.rescan = None;
            }
            self.act(Event::Rescan(message));
        }
        let shown = self.app.cx.scan.in_tab();
        if shown != self.shown_on_tab {
            self.screen.tell(shown)?;
            self.shown_on_tab = shown;
        }
        self.next_tick = Instant::now() + TICK;
        Ok(())
    }

    fn collect(&mut self) -> io::Result<()> {
        let basis = self.basis.at(self.app.cx.views.compared.chosen);
        let (tree, basis) = (self.source.tree(), Some(&basis));
        let sources = Sources { pool: &self.pool, tree, basis, may_ask_system: true };
        if self.app.poll(&sources) {
            self.frames.request();
        }
        for message in self.runner.poll() {
            match message {
                Message::Event(event) => self.act(event),
                Message::Ready(ready) => self.lend(&ready)?,
            }
        }
        Ok(())
    }

    /// Lets a prepared program use the terminal. If the program could not be prepared or fails, shows a notice.
    /// Returns an error if the browser cannot take over the terminal again.
    fn lend(&mut self, ready: &Result<Ready, String>) -> io::Result<()> {
        let failure = match ready {
            Ok(ready) => {
                let failure = programs::lend(self.screen, ready)?;
                self.resume()?;
                failure
            }
            Err(reason) => Some(reason.clone()),
        };
        if let Some(failure) = failure {
            self.act(Event::Notice(Notice::Message(failure)));
        }
        Ok(())
    }

    /// Carries out an effect. Returns the next step if the session must end.
    fn carry_out(&mut self, effect: Effect) -> io::Result<Option<Left>> {
        match effect {
            Effect::Quit => return Ok(Some(self.end(Vec::new()))),
            Effect::Print(picked) => return Ok(Some(self.end(picked))),
            Effect::ScanAbove(path) => return Ok(self.scan_above(path).map(Left::Tree)),
            Effect::Start(program) => self.start(program),
            Effect::Export(request) => self.export(request),
            Effect::StopScan => self.source.stop(),
            Effect::Rescan(directory) => {
                self.store_rescan(self.source.scan().map(|scan| scan.rescan(directory)));
            }
            Effect::Recheck(entries) => {
                self.store_rescan(self.source.scan().map(|scan| scan.recheck(entries)));
            }
            Effect::Deletion(request) => {
                self.deletions.take(request, &mut self.runner);
                self.frames.request();
            }
            Effect::StopRescan => self.rescan.iter().for_each(Scan::stop),
            Effect::Copy(text) => {
                self.frames.send(&clipboard::sequence(&text))?;
                clipboard::offer(text);
            }
            Effect::Suspend => {
                stop_group()?;
                self.shown_on_tab = tab_progress::TabState::Nothing;
                self.resume()?;
            }
            Effect::Repaint => self.frames.repaint()?,
        }
        Ok(None)
    }

    fn end(&self, picked: Vec<Vec<u8>>) -> Left {
        Left::Browser(BrowserEnd { picked, directory: self.app.cx.shown_directory() })
    }

    fn start(&mut self, program: Launch) {
        if let Launch::Open(path) = program {
            self.runner.add(programs::open(&self.pool, path), AtExit::Detach, |update| {
                Message::Event(match update {
                    Update::Result(failure) => Event::Notice(Notice::Message(String::clone(&failure))),
                    Update::Failed(error) => failed(FailedJob::Open, error),
                })
            });
            return;
        }
        self.runner.forget(self.preparing.take());
        let tree = Arc::clone(self.source.tree());
        let job = self.pool.start(move |task| task.publish(programs::prepare(&tree, &program)));
        self.preparing = Some(self.runner.add(job, AtExit::Cancel, |update| match update {
            Update::Result(ready) => Message::Ready(ready),
            Update::Failed(error) => Message::Event(failed(FailedJob::StartProgram, error)),
        }));
    }

    fn export(&mut self, request: export::ExportRequest) {
        let count = Arc::clone(&self.app.cx.export.written);
        let job = export::begin(&self.pool, self.source, request.clone(), count);
        self.runner.add(job, AtExit::CleanUp, move |update| {
            let written = match update {
                Update::Result(written) => Result::clone(&written),
                Update::Failed(error) => Err(SaveError::Failed(error.to_string())),
            };
            Message::Event(Event::Exported(ExportMessage { request: request.clone(), written }))
        });
    }

    /// Starts a scan of `path`, the parent directory of the root. If no thread can be started, shows a notice and
    /// returns `None`. Also returns `None` if the source is not a scan, but the app never requests this scan for such a
    /// source; see `SourceKind`.
    fn scan_above(&mut self, path: Vec<u8>) -> Option<Source> {
        match self.source.restart_at(OsString::from_vec(path).into())? {
            Ok(above) => Some(above),
            Err(error) => {
                self.act(failed(FailedJob::Scan, JobError::no_thread(error)));
                None
            }
        }
    }

    /// Stores the rescan that has begun, or reports the error that prevented its start. `begun` is `None` if the source
    /// is not a scan, but the app never requests a rescan of such a source; see `SourceKind`.
    fn store_rescan(&mut self, begun: Option<io::Result<Scan>>) {
        match begun {
            Some(Ok(scan)) => self.rescan = Some(scan),
            Some(Err(error)) => {
                self.act(Event::Rescan(RescanMessage::failed()));
                self.act(failed(FailedJob::Rescan, JobError::no_thread(error)));
            }
            None => {}
        }
    }

    /// Continues after another program has used the terminal, which may have been resized meanwhile.
    fn resume(&mut self) -> io::Result<()> {
        let size = self.frames.size()?;
        self.act(Event::Resize(size.width, size.height));
        self.frames.repaint()
    }
}

fn failed(job: FailedJob, error: JobError) -> Event {
    Event::Notice(Notice::JobFailed(job, error))
}

/// Returns a root in two forms: as the user gave it, and for display. A root that is scanned is displayed as an
/// absolute path, because `.` would not tell the user which directory is shown.
fn titled(root: &Path, kind: SourceKind) -> (Vec<u8>, Vec<u8>) {
    let bytes = |path: &Path| path.as_os_str().as_bytes().to_vec();
    let shown = if kind == SourceKind::Live { bytes(&absolute(root)) } else { bytes(root) };
    (bytes(root), shown)
}
