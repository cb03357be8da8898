//! Which request goes to the accelerator: thresholds, read, written and applied.
