//! Runs the builtin `cpu` as a benchmark.

use super::benchmark::{Benchmark, ExecutionScope, Invocation, Part};
use super::complaint;
use dbdyno_sysbench::Engine;
use dbdyno_sysbench::cpu::Cpu;
use dbdyno_sysbench::options::{ArgKind, EarlyExit, OptionValues, ScriptOption, Value};
use dbdyno_sysbench::run::{self, Failed, Program};
use std::sync::Arc;

/// Computes; its only command is `run`.
pub(super) struct CpuTest<'a> {
    engine: &'a Arc<Engine>,
    cpu: Cpu,
}

impl<'a> CpuTest<'a> {
    pub(super) const NAME: &'static str = "cpu";

    pub(super) fn new(call: Invocation<'a>) -> Self {
        Self {
            engine: call.engine,
            cpu: Cpu { max_prime: 0 },
        }
    }
}

/// Returns sysbench's message for a builtin without a command.
pub(super) fn command_required(name: &str) -> EarlyExit {
    complaint(format!(
        "The '{name}' test requires a command argument. See 'sysbench {name} help'\n"
    ))
}

impl Benchmark for CpuTest<'_> {
    fn declared(&self) -> Result<Option<Vec<ScriptOption>>, Failed> {
        Ok(Some(vec![ScriptOption {
            name: "cpu-max-prime".to_owned(),
            description: "upper limit for primes generator".to_owned(),
            default: Some("10000".to_owned()),
            kind: ArgKind::Int,
            has_validator: false,
        }]))
    }

    fn without_command(&self) -> Result<(), EarlyExit> {
        Err(command_required(Self::NAME))
    }

    fn execution_scope(&self, _command: &str) -> Result<Option<ExecutionScope>, Failed> {
        Ok(None)
    }

    fn take(&mut self, values: OptionValues) -> Result<bool, Failed> {
        let limit = match values.get("cpu_max_prime") {
            Some(Value::Int(limit)) => *limit,
            _ => 0,
        };
        self.cpu.max_prime = u64::try_from(limit).unwrap_or(0);
        if self.cpu.max_prime == 0 {
            let complaint = format!("Invalid value of cpu-max-prime: {limit}.");
            self.engine.log.fatal(&complaint);
            return Err(Failed);
        }
        Ok(true)
    }

    fn carry_out(&mut self, _command: &str) -> Result<(), Failed> {
        Err(Failed)
    }

    fn part(&self, _command: &str) -> Part {
        Box::new(|_, _| Err(Failed))
    }

    fn run(&mut self) -> u8 {
        let program: Arc<dyn Program> = Arc::new(self.cpu);
        run::run(self.engine, &program, &mut self.cpu)
    }
}
