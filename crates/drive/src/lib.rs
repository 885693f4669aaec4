//! Who does it when: workers, pacing, phases, stopping.
