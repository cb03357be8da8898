//! What a service is configured to negotiate: the settings for cipher suites in the files of nginx,
//! Apache and OpenVPN. Files are read, and no program of the service is run.

mod files;

use std::path::PathBuf;

use crate::enable::Tree;

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SuiteSetting {
    pub file: PathBuf,
    /// The line, from 1.
    pub line: usize,
    /// Its value: the arguments, without quotes.
    pub value: String,
}

/// The settings of a server for TLS; each list is empty where the program's default applies.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct TlsSettings {
    /// Suites up to TLS 1.2, as OpenSSL's cipher list.
    pub ciphers: Vec<SuiteSetting>,
    pub suites: Vec<SuiteSetting>,
    pub protocols: Vec<SuiteSetting>,
    /// Parameters of DHE, which only nginx needs.
    pub dh_parameters: Vec<SuiteSetting>,
}

#[must_use]
pub fn nginx(tree: &Tree) -> TlsSettings {
    let mut settings = TlsSettings::default();
    for line in files::read(tree, "/etc/nginx/nginx.conf", "/etc/nginx", &["include"]) {
        let words = files::words(line.text.trim_end().trim_end_matches(';'));
        match words.iter().map(String::as_str).collect::<Vec<_>>()[..] {
            ["ssl_ciphers", value] => settings.ciphers.push(line.setting(value)),
            ["ssl_conf_command", "Ciphersuites", value] => settings.suites.push(line.setting(value)),
            ["ssl_dhparam", value] => settings.dh_parameters.push(line.setting(value)),
            ["ssl_protocols", ref versions @ ..] => {
                settings.protocols.push(line.setting(&versions.join(" ")));
            }
            _ => {}
        }
    }
    settings
}

#[must_use]
pub fn apache(tree: &Tree) -> TlsSettings {
    let mut settings = TlsSettings::default();
    let places =
        [("/etc/apache2/apache2.conf", "/etc/apache2"), ("/etc/httpd/conf/httpd.conf", "/etc/httpd")];
    for (file, root) in places {
        for line in files::read(tree, file, root, &["include", "includeoptional"]) {
            let words = files::words(&line.text);
            let Some((name, arguments)) = words.split_first() else { continue };
            let arguments: Vec<&str> = arguments.iter().map(String::as_str).collect();
            match (name.to_ascii_lowercase().as_str(), &arguments[..]) {
                ("sslciphersuite", ["TLSv1.3", value]) => settings.suites.push(line.setting(value)),
                ("sslciphersuite", ["SSL", value] | [value]) => settings.ciphers.push(line.setting(value)),
                ("sslprotocol", versions) => settings.protocols.push(line.setting(&versions.join(" "))),
                _ => {}
            }
        }
    }
    settings
}

/// Reads the data ciphers of each configuration of OpenVPN, `:` between them.
#[must_use]
pub fn openvpn(tree: &Tree) -> Vec<SuiteSetting> {
    let mut settings = Vec::new();
    for pattern in ["/etc/openvpn/*.conf", "/etc/openvpn/server/*.conf", "/etc/openvpn/client/*.conf"] {
        for file in files::matching(tree, pattern) {
            for line in files::read_one(tree, &file) {
                let words = files::words(&line.text);
                if let ["data-ciphers" | "ncp-ciphers", value] =
                    words.iter().map(String::as_str).collect::<Vec<_>>()[..]
                {
                    settings.push(line.setting(value));
                }
            }
        }
    }
    settings
}

impl TlsSettings {
    /// Whether a version of TLS, such as `TLSv1.2`, is negotiated. Without a setting the default of
    /// today's programs applies: 1.2 and 1.3.
    #[must_use]
    pub fn allows(&self, version: &str) -> bool {
        if self.protocols.is_empty() {
            return ["TLSv1.2", "TLSv1.3"].contains(&version);
        }
        self.protocols.iter().any(|setting| {
            let mut allowed = false;
            for word in setting.value.split_whitespace() {
                let (sign, name) = match word.strip_prefix(['+', '-']) {
                    Some(name) => (word.starts_with('+'), name),
                    None => (true, word),
                };
                if name.eq_ignore_ascii_case("all") || name.eq_ignore_ascii_case(version) {
                    allowed = sign;
                }
            }
            allowed
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::fs;

    fn system(files: &[(&str, &str)]) -> (tempfile::TempDir, Tree) {
        let root = tempfile::tempdir().unwrap();
        for (path, text) in files {
            let path = root.path().join(&path[1..]);
            fs::create_dir_all(path.parent().unwrap()).unwrap();
            fs::write(path, text).unwrap();
        }
        let tree = Tree::at(root.path());
        (root, tree)
    }

    fn values(settings: &[SuiteSetting]) -> Vec<&str> {
        settings.iter().map(|setting| setting.value.as_str()).collect()
    }

    #[test]
    fn nginx_includes_and_quotes_are_followed() {
        let (_root, tree) = system(&[
            (
                "/etc/nginx/nginx.conf",
                "http {\n  # ssl_ciphers NO;\n  ssl_protocols TLSv1.2 TLSv1.3;\n  include sites-enabled/*;\n}\n",
            ),
            (
                "/etc/nginx/sites-enabled/a",
                "server {\n  ssl_ciphers \"HIGH:!aNULL\"; # here\n  ssl_conf_command Ciphersuites TLS_AES_128_GCM_SHA256;\n}\n",
            ),
        ]);
        let settings = nginx(&tree);
        assert_eq!(values(&settings.ciphers), ["HIGH:!aNULL"]);
        assert_eq!(
            (settings.ciphers[0].line, settings.ciphers[0].file.to_str().unwrap()),
            (2, "/etc/nginx/sites-enabled/a")
        );
        assert_eq!(values(&settings.suites), ["TLS_AES_128_GCM_SHA256"]);
        assert!(settings.allows("TLSv1.3") && !settings.allows("TLSv1.1"));
    }

    #[test]
    fn apache_names_versions_by_signs() {
        let (_root, tree) = system(&[
            ("/etc/apache2/apache2.conf", "IncludeOptional mods-enabled/*.conf\n"),
            (
                "/etc/apache2/mods-enabled/ssl.conf",
                "SSLCipherSuite HIGH:!aNULL\nsslciphersuite TLSv1.3 TLS_AES_256_GCM_SHA384\nSSLProtocol all -SSLv3 -TLSv1.3\n",
            ),
        ]);
        let settings = apache(&tree);
        assert_eq!(values(&settings.ciphers), ["HIGH:!aNULL"]);
        assert_eq!(values(&settings.suites), ["TLS_AES_256_GCM_SHA384"]);
        assert!(settings.allows("TLSv1.2") && !settings.allows("TLSv1.3"));
        assert!(TlsSettings::default().allows("TLSv1.3"));
    }

    #[test]
    fn an_include_of_itself_ends_and_missing_files_set_nothing() {
        let (_root, tree) = system(&[("/etc/nginx/nginx.conf", "include nginx.conf;\nssl_ciphers A;\n")]);
        assert_eq!(values(&nginx(&tree).ciphers), ["A"]);
        assert_eq!(apache(&tree), TlsSettings::default());
    }

    #[test]
    fn each_tunnel_of_openvpn_has_its_ciphers() {
        let (_root, tree) = system(&[
            ("/etc/openvpn/server/a.conf", "data-ciphers AES-256-GCM:AES-128-CBC\ncipher AES-256-CBC\n"),
            ("/etc/openvpn/b.conf", "; data-ciphers NO\n"),
        ]);
        assert_eq!(values(&openvpn(&tree)), ["AES-256-GCM:AES-128-CBC"]);
    }
}
