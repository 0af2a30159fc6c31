//! Settings of the browser, from the command line and the configuration.

use jiff::tz::TimeZone;

use super::keys::Keymap;
use super::notice::Notice;
use super::options::{DeletePolicy, MouseCapture, Panes, Quitting, Start, TabProgress};
use super::theme::Theme;
use crate::base::format::Units;
use crate::source::SourceKind;
use crate::table::column::RowOptions;
use crate::table::recorded::RecordedTree;
use crate::table::rows::Order;

#[derive(Clone, Debug)]
pub struct Settings {
    /// Initial order of entries, and the measure used for sizes.
    pub order: Order,
    pub row_options: RowOptions,
    pub units: Units,
    pub theme: Theme,
    pub keymap: Keymap,
    /// Notice shown at the start, until the first key press.
    pub notice: Option<Notice>,
    /// Time zone for displayed times.
    pub zone: TimeZone,
    pub mouse: MouseCapture,
    pub tab: TabProgress,
    pub quitting: Quitting,
    pub policy: DeletePolicy,
    /// Kind of the source. It determines whether the tree can be rescanned and entries can be deleted.
    pub source_kind: SourceKind,
    pub panes: Panes,
    pub start: Start,
    /// Previous scan. Its sizes are shown until the new scan has found the current sizes.
    pub record: Option<RecordedTree>,
}

impl Settings {
    /// Returns settings with these values and with defaults for everything else.
    pub fn new(order: Order, units: Units, theme: Theme, zone: TimeZone) -> Self {
        Self {
            order,
            row_options: RowOptions::default(),
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
