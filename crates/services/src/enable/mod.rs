//! What `outboard enable` adds to a system so that a service uses outboard, and how it is removed.
//!
//! Only files of outboard's own are added: an openssl.cnf that includes the system's, and a
//! drop-in or a similar file that sets OPENSSL_CONF. No file of another package is changed, so
//! removing the added files restores the system byte for byte.
//!
//! On OpenWrt, whose init scripts have no place for the settings of others, OpenSSL's configuration
//! activates the provider for the programs that have a file in a directory of outboard's.

mod applications;
mod apply;
mod kernel;
mod openwrt;
mod plan;
mod record;
mod shown;
mod tree;
mod unit;

pub use applications::{APPLICATIONS, Application, Requests, SSH_CLIENT, SYSTEM};
pub use apply::{
    Applied, Failure, State, Step, disable, enable, perform, set_verified, state, steps_to_enable,
};
pub use kernel::{
    PREFERENCES, PreferredDriver, all_preferred, driver_of_key, plan_kernel, preference_key, preferences,
    preferred_of,
};
pub use openwrt::{counted_programs, init_script_name, init_scripts, is_openwrt};
pub use plan::{Inputs, Plan, Unplannable, plan, planned_units};
pub use record::{AddedFile, Record};
pub use shown::{UNIT_PROPERTIES, shown_name};
pub use tree::{DirectoryLock, Tree};
pub use unit::{changed_units, counted_units, counters_file, openssl_conf_of_units};
