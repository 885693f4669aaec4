//! Holds the values of a statement's `?` places.

/// Values in the order of the `?` places, reusable without allocation.
#[derive(Debug, Clone, Default)]
pub struct Parameters {
    places: Vec<ParameterSlot>,
    text: Vec<u8>,
}

#[derive(Debug, Clone, Copy)]
enum ParameterSlot {
    Int(i64),
    Double(f64),
    Text { start: usize, end: usize },
    Null,
}

/// One value.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Parameter<'a> {
    /// A whole number, sent as a 64-bit integer.
    Int(i64),
    /// A floating-point number of double precision.
    Double(f64),
    /// Text or bytes, sent as a string of variable length.
    Text(&'a [u8]),
    /// SQL NULL.
    Null,
}

impl Parameters {
    /// Creates an empty list of values.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// Appends a whole number.
    pub fn push_int(&mut self, value: i64) {
        self.places.push(ParameterSlot::Int(value));
    }

    /// Appends a floating-point number.
    pub fn push_double(&mut self, value: f64) {
        self.places.push(ParameterSlot::Double(value));
    }

    /// Appends text or bytes.
    pub fn push_text(&mut self, value: &[u8]) {
        let start = self.text.len();
        self.text.extend_from_slice(value);
        self.places.push(ParameterSlot::Text {
            start,
            end: self.text.len(),
        });
    }

    /// Appends SQL NULL.
    pub fn push_null(&mut self) {
        self.places.push(ParameterSlot::Null);
    }

    /// Forgets all values and keeps the memory.
    pub fn clear(&mut self) {
        self.places.clear();
        self.text.clear();
    }

    /// Counts the values.
    #[must_use]
    pub fn len(&self) -> usize {
        self.places.len()
    }

    /// Returns whether there is no value.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.places.is_empty()
    }

    /// Returns the values in order.
    pub fn iter(&self) -> impl ExactSizeIterator<Item = Parameter<'_>> + Clone {
        self.places.iter().map(|place| match *place {
            ParameterSlot::Int(value) => Parameter::Int(value),
            ParameterSlot::Double(value) => Parameter::Double(value),
            ParameterSlot::Text { start, end } => Parameter::Text(&self.text[start..end]),
            ParameterSlot::Null => Parameter::Null,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_come_back_in_order_and_clear_forgets_them() {
        let mut parameters = Parameters::new();
        parameters.push_int(-3);
        parameters.push_double(0.5);
        parameters.push_text(b"a?b");
        parameters.push_null();
        parameters.push_text(b"");
        let values: Vec<_> = parameters.iter().collect();
        let expected = [
            Parameter::Int(-3),
            Parameter::Double(0.5),
            Parameter::Text(b"a?b"),
            Parameter::Null,
            Parameter::Text(b""),
        ];
        assert_eq!(values, expected);
        parameters.clear();
        assert!(parameters.is_empty() && parameters.iter().next().is_none());
    }
}
