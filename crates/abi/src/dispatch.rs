//! `OSSL_DISPATCH` and `OSSL_ALGORITHM`, and the lookup of functions in a dispatch table (core.h).

use std::ffi::{c_char, c_int};
use std::mem::transmute_copy;

/// `OSSL_CORE_HANDLE`: the core's handle of one loaded provider. Opaque; never dereferenced here.
#[repr(C)]
pub struct CoreHandle {
    _opaque: [u8; 0],
}

/// `void (*function)(void)` of `OSSL_DISPATCH`. The user casts it to the type that its number
/// defines.
pub type Function = unsafe extern "C" fn();

/// `OSSL_DISPATCH` (struct ossl_dispatch_st): a numbered function.
#[repr(C)]
#[derive(Clone, Copy)]
pub struct Dispatch {
    /// One of the `OSSL_FUNC_*` numbers, 0 at the end of a table.
    pub function_id: c_int,
    /// The function, `None` at the end of a table.
    pub function: Option<Function>,
}

// SAFETY: a dispatch table is constant data that only holds pointers to code.
unsafe impl Sync for Dispatch {}

impl Dispatch {
    /// The row that ends a table (`OSSL_DISPATCH_END`).
    pub const END: Dispatch = Dispatch { function_id: 0, function: None };

    /// A row. `function` must have the type that core_dispatch.h defines for `id`.
    pub const fn new(id: c_int, function: Function) -> Self {
        Dispatch { function_id: id, function: Some(function) }
    }
}

/// `OSSL_ALGORITHM` (struct ossl_algorithm_st): one offered algorithm. A null name ends a table.
#[repr(C)]
#[derive(Clone, Copy)]
pub struct Algorithm {
    /// Names separated by colons, the preferred one first, NUL-terminated.
    pub names: *const c_char,
    /// Property definition, such as `provider=outboard`.
    pub properties: *const c_char,
    /// The dispatch table of the implementation.
    pub implementation: *const Dispatch,
    /// A human-readable description, or null.
    pub description: *const c_char,
}

// SAFETY: rows point to constant data that lives as long as the provider is loaded.
unsafe impl Sync for Algorithm {}
// SAFETY: as above; nothing in a row is tied to a thread.
unsafe impl Send for Algorithm {}

impl Algorithm {
    /// The row that ends a table.
    pub const END: Algorithm = Algorithm {
        names: std::ptr::null(),
        properties: std::ptr::null(),
        implementation: std::ptr::null(),
        description: std::ptr::null(),
    };
}

/// Without the row that ends it.
///
/// # Safety
/// `table` is null or points to a table that ends with function number 0 and lives for `'a`.
pub unsafe fn rows<'a>(table: *const Dispatch) -> &'a [Dispatch] {
    if table.is_null() {
        return &[];
    }
    let mut count = 0;
    // SAFETY: the caller guarantees that each row up to the one numbered 0 is readable.
    while unsafe { (*table.add(count)).function_id } != 0 {
        count += 1;
    }
    // SAFETY: `count` rows were just read.
    unsafe { std::slice::from_raw_parts(table, count) }
}

/// `None` if the table has no function with this number.
///
/// # Safety
/// As for [`rows`]; `F` is the type that core_dispatch.h defines for the number.
pub unsafe fn find<F: Copy>(table: *const Dispatch, id: c_int) -> Option<F> {
    const { assert!(size_of::<F>() == size_of::<Function>()) };
    // SAFETY: the caller gives the same guarantees.
    unsafe { find_any(table, id).map(|function| transmute_copy(&function)) }
}

/// # Safety
/// As for [`rows`].
#[inline(never)]
unsafe fn find_any(table: *const Dispatch, id: c_int) -> Option<Function> {
    // SAFETY: the caller gives the same guarantee.
    unsafe { rows(table) }.iter().find(|row| row.function_id == id).and_then(|row| row.function)
}

/// Defines a struct with functions of a dispatch table, each with its type and its number.
#[macro_export]
macro_rules! functions {
    (
        $(#[$attribute:meta])*
        $visibility:vis struct $name:ident {
            $($(#[$documentation:meta])* $field_visibility:vis $field:ident: $type:ident = $number:ident;)*
        }
    ) => {
        $(#[$attribute])*
        #[derive(Clone, Copy)]
        $visibility struct $name {
            $($(#[$documentation])* $field_visibility $field: $crate::$type,)*
        }

        impl $name {
            /// `None` if a function is missing.
            ///
            /// # Safety
            /// `table` ends with number 0 and is of the operation to which the numbers belong.
            $visibility unsafe fn new(table: *const $crate::Dispatch) -> Option<$name> {
                // SAFETY: guaranteed by the caller; core_dispatch.h defines for each number the type of
                // its field.
                unsafe { Some($name { $($field: $crate::find(table, $crate::$number)?,)* }) }
            }
        }
    };
}
