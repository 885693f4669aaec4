//! Writes and reads JSON objects whose names are known at run time only, in a meaningful order.

use serde::{Deserialize, Serialize, Serializer};
use std::collections::BTreeMap;

/// Pairs written as an object, in their order, and read in the order of their names.
#[derive(Debug, Clone, Deserialize)]
#[serde(from = "BTreeMap<K, V>")]
#[serde(bound(deserialize = "K: Deserialize<'de> + Ord, V: Deserialize<'de>"))]
pub(crate) struct Named<K, V>(pub(crate) Vec<(K, V)>);

impl<K: AsRef<str>, V: Serialize> Serialize for Named<K, V> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_map(self.0.iter().map(|(name, value)| (name.as_ref(), value)))
    }
}

impl<K, V> From<BTreeMap<K, V>> for Named<K, V> {
    fn from(pairs: BTreeMap<K, V>) -> Self {
        Self(pairs.into_iter().collect())
    }
}
