//! What to write so that a service uses outboard.
