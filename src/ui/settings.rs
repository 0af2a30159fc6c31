//! Settings of the browser, from the command line and the configuration.

use jiff::tz::TimeZone;

use super::keys::Keymap;
use super::notice::Notice;
use super::options::{DeletePolicy, MouseCapture, Panes, Quitting, Start, TabProgress};
use super::theme::Theme;
use crate::base::format::Units;
use crate::source::SourceKind;
use crate::table::column::RowLook;
use crate::table::recorded::RecordedTree;
use crate::table::rows::Order;

/// Settings of the browser.
#[derive(Clone, Debug)]
pub struct Settings {
    /// Initial order of entries, and the measure of sizes.
    pub order: Order,
    /// Look of the rows.
    pub look: RowLook,
    /// Unit system for sizes.
    pub units: Units,
    /// Colors and characters.
    pub theme: Theme,
    /// Key bindings.
    pub keymap: Keymap,
    /// Notice shown until the first key.
    pub notice: Option<Notice>,
    /// Time zone for displayed times.
    pub zone: TimeZone,
    /// Receiver of mouse events.
    pub mouse: MouseCapture,
    /// Use of the progress indicator in the terminal's tab.
    pub tab: TabProgress,
    /// Condition for a question before the browser quits.
    pub quitting: Quitting,
    /// Policy for deletions.
    pub policy: DeletePolicy,
    /// Kind of the source, which determines whether the tree can be rescanned and entries deleted.
    pub source_kind: SourceKind,
    /// Panes to show in a wide window.
    pub panes: Panes,
    /// View that is shown first.
    pub start: Start,
    /// Earlier scan whose sizes are shown until the scan has confirmed them.
    pub record: Option<RecordedTree>,
}

impl Settings {
    /// Returns the default settings.
    pub fn new(order: Order, units: Units, theme: Theme, zone: TimeZone) -> Self {
        Self {
            order,
            look: RowLook::default(),
            units,
            theme,
            keymap: Keymap::default(),
            notice: None,
            zone,
            mouse: MouseCapture::default(),
            quitting: Quitting::default(),
            tab: TabProgress::default(),
            source_kind: SourceKind::default(),
            panes: Panes::default(),
            start: Start::default(),
            record: None,
            policy: DeletePolicy::default(),
        }
    }
}
