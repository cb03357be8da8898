//! A system below a temporary directory, to which tests add files and for which they plan services.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

use outboard_services::enable::{Inputs, Plan, Tree, plan};
use tempfile::TempDir;

/// The system, removed when this is dropped.
pub struct System {
    _root: TempDir,
    pub tree: Tree,
    pub inputs: Inputs,
}

impl System {
    /// A system with these files.
    pub fn with(files: &[(&str, &str)]) -> Self {
        let root = tempfile::tempdir().unwrap();
        let tree = Tree::at(root.path());
        let inputs = Inputs {
            openssl_cnf: Some("/etc/ssl/openssl.cnf".into()),
            module: "/usr/lib/outboard.so".into(),
            programs: Vec::new(),
            units: BTreeMap::new(),
        };
        let system = Self { _root: root, tree, inputs };
        files.iter().for_each(|(path, text)| system.write(path, text));
        system
    }

    pub fn path(&self, path: &str) -> PathBuf {
        self.tree.path(Path::new(path))
    }

    pub fn write(&self, path: &str, text: &str) {
        let path = self.path(path);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, text).unwrap();
    }

    pub fn plan(&self, name: &str) -> Plan {
        plan(&self.tree, name, false, &self.inputs).unwrap()
    }

    pub fn refusal(&self, name: &str, is_unit: bool) -> String {
        plan(&self.tree, name, is_unit, &self.inputs).unwrap_err().to_string()
    }
}
