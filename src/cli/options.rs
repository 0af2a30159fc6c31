//! Options shared by several commands.

use crate::base::format::Units;
use crate::cli::environment::Environment;
use crate::cli::error::UsageError;
use crate::cli::values;
use crate::run::print::Progress;
use crate::scan::Mounts;

/// Returns the units of sizes. `is_decimal` is `true` if `--si` was given.
pub fn units(is_decimal: bool) -> Units {
    if is_decimal { Units::Decimal } else { Units::Binary }
}

/// Returns the mounts that a scan enters. `one_file_system` is `true` if `-x` was given.
pub fn mounts(one_file_system: bool) -> Mounts {
    if one_file_system { Mounts::None } else { Mounts::Real }
}

/// Returns the progress display. `is_unwanted` is `true` if `-q` was given.
pub fn progress(is_unwanted: bool, units: Units) -> Progress {
    if is_unwanted { Progress::Silent } else { Progress::Shown(units) }
}

/// Returns the number of threads from `-t` or, without `-t`, from `DUKE_THREADS`; `None` if neither is given.
pub fn threads(given: Option<u16>, environment: &Environment) -> Result<Option<usize>, UsageError> {
    let threads = match given {
        None => environment.parsed("DUKE_THREADS", values::threads)?,
        given => given,
    };
    Ok(threads.map(usize::from))
}
