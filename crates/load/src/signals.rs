//! Ctrl-C and SIGTERM end a run cleanly; a second one ends the program at once.

use crate::trouble::Exit;
use anyhow::Context as _;
use dbdyno_drive::StopSwitch;
use signal_hook::consts::{SIGINT, SIGTERM};
use signal_hook::flag;

/// A switch that both signals throw.
pub(crate) fn stop_switch() -> anyhow::Result<StopSwitch> {
    let stop = StopSwitch::default();
    for signal in [SIGINT, SIGTERM] {
        flag::register_conditional_shutdown(signal, Exit::NotHeld as i32, stop.flag())
            .and_then(|_| flag::register(signal, stop.flag()))
            .context("signals can't be watched")?;
    }
    Ok(stop)
}
