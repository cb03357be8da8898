//! End-to-end tests, run inside the test machines of vm/.
