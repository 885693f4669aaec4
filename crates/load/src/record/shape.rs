//! Records have the shape of the contract's samples: the same keys, the same kinds of value.
