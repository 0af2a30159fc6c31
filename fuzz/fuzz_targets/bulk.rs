//! Fuzz target for the parser of getattrlistbulk(2) results (macOS). The parser must accept any bytes. Run the target
//! with `cargo +nightly fuzz run bulk`.
#![no_main]

use duke::testing::platform::read_dir::attr_list::{Wanted, entries, measure};
use libfuzzer_sys::fuzz_target;

fuzz_target!(|input: (u8, &[u8])| {
    let (count, bytes) = input;
    let count = usize::from(count);
    // These bytes may be invalid, so the number of entries is not known, but the iteration must end.
    assert!(entries(bytes, Wanted::ALL).count() <= bytes.len());
    let Some(length) = measure(bytes, count) else { return };
    assert!(length <= bytes.len());
    let measured = &bytes[..length];
    assert_eq!(entries(measured, Wanted::ALL).count(), count);
    for entry in entries(measured, Wanted::ALL) {
        // Borrowed names lie inside the input.
        let name = entry.name.to_bytes_with_nul().as_ptr_range();
        assert!(measured.as_ptr_range().start <= name.start && name.end <= measured.as_ptr_range().end);
    }
});
