//! Everything that advice depends on, read once.

use outboard_documents::status::Status;
use serde::{Deserialize, Serialize};

use crate::service::ServiceFacts;
use crate::system::System;

#[derive(Clone, Debug, Deserialize, Serialize)]
pub struct Facts {
    /// What was found; what is concluded from it is empty.
    pub status: Status,
    /// How parts are installed there.
    pub system: System,
    /// Drivers of accelerators whose engine has stopped.
    pub stopped: Vec<String>,
    /// The services with processes of their own that are installed or enabled.
    pub services: Vec<ServiceFacts>,
    /// Users within the kernel that are enabled: only a measurement decides about these.
    pub kernel_users: Vec<String>,
    /// Programs whose TLS is not OpenSSL's, with the library; empty without an accelerator.
    pub other_tls: Vec<(String, String)>,
}
