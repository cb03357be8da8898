//! OpenSSL's provider C ABI, written by hand from core_dispatch.h, core.h and params.h.
