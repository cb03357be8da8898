//! One trait for every way down to an accelerator, and its implementations.
