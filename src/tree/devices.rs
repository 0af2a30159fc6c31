//! Devices of a tree, each with a small index, so that entries can store a device in one byte.
//!
//! Invariant: an index always stands for the same device.

use crate::base::sync::{Mutex, lock};

/// Devices of a tree. There is one per file system, so a linear search is fast.
#[derive(Default)]
pub struct Devices {
    numbers: Mutex<Vec<u64>>,
}

impl From<Vec<u64>> for Devices {
    fn from(numbers: Vec<u64>) -> Self {
        Self { numbers: Mutex::new(numbers) }
    }
}

impl Devices {
    /// Returns the numbers of all devices, in the order of their indexes.
    pub fn numbers(&self) -> Vec<u64> {
        lock(&self.numbers).clone()
    }

    /// Returns the index of `device`, adding the device if it is new.
    #[doc(hidden)]
    pub fn index(&self, device: u64) -> u32 {
        let mut numbers = lock(&self.numbers);
        let index = numbers.iter().position(|number| *number == device).unwrap_or_else(|| {
            numbers.push(device);
            numbers.len() - 1
        });
        u32::try_from(index).expect("fewer devices than 2^32 fit into memory")
    }

    /// Returns the number of the device at `index`, or 0 if there is none.
    pub fn number(&self, index: u32) -> u64 {
        lock(&self.numbers).get(index as usize).copied().unwrap_or(0)
    }
}
