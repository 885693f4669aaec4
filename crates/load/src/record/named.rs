//! Writes JSON objects whose names are known at run time only, in a meaningful order.

use serde::{Serialize, Serializer};

/// Pairs written as an object, in their order.
#[derive(Debug, Clone)]
pub(crate) struct Named<K, V>(pub(crate) Vec<(K, V)>);

impl<K: AsRef<str>, V: Serialize> Serialize for Named<K, V> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_map(self.0.iter().map(|(name, value)| (name.as_ref(), value)))
    }
}
