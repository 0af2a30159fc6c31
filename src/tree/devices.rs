//! Devices by small index, so that a record needs a byte for one.
//!
//! Invariant: an index once given out keeps its device.

use crate::sync::{Mutex, lock};

/// The devices of a tree. There are as many as file systems, so a search is nothing.
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
    /// All devices, by index.
    pub fn numbers(&self) -> Vec<u64> {
        lock(&self.numbers).clone()
    }

    /// The index of `device`, given out now if it is new.
    #[doc(hidden)]
    pub fn index(&self, device: u64) -> u32 {
        let mut numbers = lock(&self.numbers);
        let index = numbers.iter().position(|number| *number == device).unwrap_or_else(|| {
            numbers.push(device);
            numbers.len() - 1
        });
        u32::try_from(index).expect("fewer devices than 2^32 fit into memory")
    }

    /// The device with `index`, zero if there is none.
    pub fn number(&self, index: u32) -> u64 {
        lock(&self.numbers).get(index as usize).copied().unwrap_or(0)
    }
}
