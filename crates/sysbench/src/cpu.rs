//! Implements the builtin `cpu`, for sysbench's own tests and those who try the program without a server.

use crate::figures::Stat;
use crate::run::{Failed, MainActor, Program, VirtualUser};
use crate::text::FinalFigures;
use crate::{Actor, Engine, Level, Log};
use std::hint::black_box;
use std::rc::Rc;
use std::sync::Arc;

/// Each event looks for all primes up to a limit.
#[derive(Debug, Clone, Copy)]
pub struct Cpu {
    /// `--cpu-max-prime`.
    pub max_prime: u64,
}

impl Program for Cpu {
    fn user(&self, engine: &Arc<Engine>, actor: Rc<Actor>) -> Result<Box<dyn VirtualUser>, Failed> {
        Ok(Box::new(CpuUser {
            max_prime: self.max_prime,
            engine: Arc::clone(engine),
            actor,
        }))
    }

    fn announce(&self, log: &Log) {
        log.print(Level::Info, "Doing CPU performance benchmark\n\n");
        let limit = format!("Prime numbers limit: {}\n\n", self.max_prime);
        log.print(Level::Notice, &limit);
    }

    fn statistics(&self, figures: &FinalFigures) -> Option<String> {
        let per_s = figures.counts.events as f64 / (figures.time_interval_ns.max(1) as f64 / 1e9);
        Some(format!("CPU speed:\n    events per second: {per_s:8.2}\n"))
    }
}

/// Nothing to do before or after.
impl MainActor for Cpu {
    fn init(&mut self) -> Result<(), Failed> {
        Ok(())
    }

    fn cumulative(&mut self, _stat: &Stat) -> Result<bool, Failed> {
        Ok(false)
    }

    fn done(&mut self) -> Result<(), Failed> {
        Ok(())
    }
}

struct CpuUser {
    max_prime: u64,
    engine: Arc<Engine>,
    actor: Rc<Actor>,
}

impl VirtualUser for CpuUser {
    fn thread_init(&mut self) -> Result<(), Failed> {
        Ok(())
    }

    fn thread_run(&mut self) -> Result<(), Failed> {
        while self.engine.more_events(&self.actor) {
            self.engine.event_start(&self.actor);
            black_box(primes_up_to(black_box(self.max_prime)));
            self.engine.event_stop(&self.actor);
        }
        Ok(())
    }

    fn thread_done(&mut self) -> Result<(), Failed> {
        Ok(())
    }
}

/// Counts the primes from 3 by trial division.
fn primes_up_to(limit: u64) -> u64 {
    let is_prime = |number: &u64| {
        let mut divisors = (2..).take_while(|divisor| divisor * divisor <= *number);
        divisors.all(|divisor| !number.is_multiple_of(divisor))
    };
    (3..limit).filter(is_prime).count() as u64
}

#[cfg(test)]
mod tests {
    use super::primes_up_to;

    #[test]
    fn there_are_1228_odd_primes_below_ten_thousand() {
        assert_eq!(primes_up_to(10_000), 1228);
    }
}
