//! Storage classes of a tree, such as GLACIER. Each class has an ID, which an entry stores in one byte.
//!
//! Only object stores have storage classes. If an entry has no class, no byte is stored for it.
//!
//! Invariant: the ID of a class never changes.

use crate::base::sync::{Mutex, lock};

/// Maximum number of classes. Object stores have fewer than ten.
const MOST: usize = 1 << 8;
/// Name of the last class (ID `MOST - 1`), which stands for all further classes.
const OTHER: &[u8] = b"(other)";

/// ID of a storage class in its tree.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct StorageClass(pub u8);

impl StorageClass {
    /// Returns the class in another tree that corresponds to this class. `classes` is the list that
    /// [`StorageClasses::add_all`] returned when the classes were added to the other tree.
    #[doc(hidden)]
    pub fn mapped(self, classes: &[Self]) -> Option<Self> {
        classes.get(usize::from(self.0)).copied()
    }
}

/// Names of the storage classes in a tree. The list is short, so a linear search is fast.
#[derive(Debug, Default)]
pub struct StorageClasses {
    names: Mutex<Vec<Vec<u8>>>,
}

/// Conversion from the class names in a file. The index of a name is the ID of its class.
impl From<Vec<Vec<u8>>> for StorageClasses {
    fn from(names: Vec<Vec<u8>>) -> Self {
        Self { names: Mutex::new(names) }
    }
}

impl StorageClasses {
    /// Returns the class called `name`. Adds a new class if necessary. The last ID is reserved for the class `(other)`,
    /// which stands for all names that get no ID of their own.
    #[doc(hidden)]
    pub fn add(&self, name: &[u8]) -> StorageClass {
        let mut names = lock(&self.names);
        let known = names.iter().position(|known| known == name);
        let index = known.unwrap_or_else(|| {
            match names.len() + 1 {
                ..MOST => names.push(name.to_vec()),
                MOST => names.push(OTHER.to_vec()),
                _ => {}
            }
            names.len() - 1
        });
        StorageClass(u8::try_from(index).unwrap_or(u8::MAX))
    }

    /// Adds the classes of another tree. Returns the ID of each class in this tree, indexed by its ID in the other
    /// tree.
    #[doc(hidden)]
    pub fn add_all(&self, others: &Self) -> Vec<StorageClass> {
        others.names().iter().map(|name| self.add(name)).collect()
    }

    /// Returns the name of a class; an empty string if the class is unknown.
    pub fn name(&self, class: StorageClass) -> String {
        let names = lock(&self.names);
        names
            .get(usize::from(class.0))
            .map_or_else(String::new, |name| String::from_utf8_lossy(name).into_owned())
    }

    /// Returns the names of all classes, in the order of their IDs.
    pub fn names(&self) -> Vec<Vec<u8>> {
        lock(&self.names).clone()
    }

    /// Returns `true` if no entry has a storage class.
    pub fn is_empty(&self) -> bool {
        lock(&self.names).is_empty()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn classes_beyond_the_last_number_share_a_name() {
        let classes = StorageClasses::default();
        assert!(classes.is_empty());
        let numbers: Vec<u8> = (0..300).map(|number| classes.add(format!("{number}").as_bytes()).0).collect();
        assert_eq!(numbers[..3], [0, 1, 2]);
        assert_eq!(numbers[254..], [254].into_iter().chain([255; 45]).collect::<Vec<u8>>());
        assert_eq!(classes.add(b"7"), StorageClass(7));
        assert_eq!(
            (classes.name(StorageClass(7)), classes.name(StorageClass(255))),
            ("7".into(), "(other)".into())
        );
        assert_eq!(StorageClasses::default().name(StorageClass(7)), "");
    }
}
