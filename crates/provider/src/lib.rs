//! outboard.so: the OpenSSL provider.
