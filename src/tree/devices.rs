//! Devices of a tree, each with a small index, so that an entry can usually store its device in one byte.
//!
//! A tree can contain entries of several hosts, which may use the same device numbers for different devices.
//!
//! Invariant: an index always identifies the same device of the same host.

use crate::base::sync::{Mutex, lock};

/// Devices of a tree. The list is usually short, so a linear search is fast.
#[derive(Default)]
pub struct Devices {
    known: Mutex<Vec<Device>>,
}

/// Device number, with the host that uses it.
#[derive(Clone, Copy, PartialEq, Eq)]
struct Device {
    host: u32,
    number: u64,
}

/// Devices of one host. A tree may contain entries from several hosts.
#[derive(Clone, Copy)]
pub struct HostDevices<'d> {
    devices: &'d Devices,
    host: u32,
}

/// Devices of a tree loaded from a file, in the order of their indexes. The file does not record the hosts, so all
/// devices get host 0, and devices of different hosts with the same number differ only in their indexes.
impl From<Vec<u64>> for Devices {
    fn from(numbers: Vec<u64>) -> Self {
        let known = numbers.into_iter().map(|number| Device { host: 0, number }).collect();
        Self { known: Mutex::new(known) }
    }
}

impl Devices {
    /// Returns the numbers of all devices by index. Devices of different hosts may have the same number.
    pub fn numbers(&self) -> Vec<u64> {
        lock(&self.known).iter().map(|device| device.number).collect()
    }

    /// Returns the devices of a host. The caller assigns the host numbers.
    #[doc(hidden)]
    pub fn of_host(&self, host: u32) -> HostDevices<'_> {
        HostDevices { devices: self, host }
    }

    /// Returns the index of `device` on host 0, adding the device if it is new. In a scan, host 0 is this machine.
    #[doc(hidden)]
    pub fn index(&self, device: u64) -> u32 {
        self.of_host(0).index(device)
    }

    /// Adds a device that is distinct from all others, even from devices with the same number, and returns its index.
    #[doc(hidden)]
    pub fn add(&self, number: u64) -> u32 {
        let mut known = lock(&self.known);
        // No host has the number `u32::MAX`, so `HostDevices::index` never returns this device.
        known.push(Device { host: u32::MAX, number });
        u32::try_from(known.len() - 1).expect("memory holds fewer than 2^32 devices")
    }

    /// Returns the number of the device at `index`, or 0 if there is none.
    pub fn number(&self, index: u32) -> u64 {
        lock(&self.known).get(index as usize).map_or(0, |device| device.number)
    }
}

impl HostDevices<'_> {
    /// Returns the index of `device`, adding the device if it is new.
    pub fn index(self, device: u64) -> u32 {
        let wanted = Device { host: self.host, number: device };
        let mut known = lock(&self.devices.known);
        let index = known.iter().position(|device| *device == wanted).unwrap_or_else(|| {
            known.push(wanted);
            known.len() - 1
        });
        u32::try_from(index).expect("memory holds fewer than 2^32 devices")
    }
}
