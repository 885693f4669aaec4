//! Holds one statement about to be sent.

use dbdyno_wire::Parameters;

/// A statement of the workload, by its place in [`WorkloadSpec::statements`](crate::WorkloadSpec::statements),
/// and its parameters. One `Call` is reused for every statement of a worker: filling it allocates
/// nothing once its buffers have grown.
#[derive(Debug, Default)]
pub struct Call {
    /// Place in `WorkloadSpec::statements`.
    pub statement: u16,
    /// The values of the statement's `?` places, in order.
    pub parameters: Parameters,
    /// The whole text, of a statement that its user writes.
    pub text: Vec<u8>,
}

impl Call {
    /// Points the call at a statement and forgets the parameters of the one before.
    pub fn start(&mut self, statement: u16) {
        self.statement = statement;
        self.parameters.clear();
        self.text.clear();
    }
}
