//! Counters in shared memory: what went to the accelerator and what stayed in software.
