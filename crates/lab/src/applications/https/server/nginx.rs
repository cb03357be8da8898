//! The configuration of nginx.

use std::fmt::Write as _;
use std::net::SocketAddr;
use std::path::Path;

use super::{Site, Worker};

pub fn configuration(
    built: &str,
    folder: &Path,
    address: SocketAddr,
    worker: Option<&Worker>,
    site: &Site<'_>,
) -> String {
    let here = folder.display();
    let mut text = "daemon off;\nworker_processes auto;\n".to_owned();
    let mut line = |args: std::fmt::Arguments<'_>| {
        let _ = writeln!(text, "{args}");
    };
    if let Some(worker) = worker {
        line(format_args!("user {} {};", worker.user, worker.group));
    }
    line(format_args!("pid \"{here}/pid\";\nevents {{ worker_connections 256; }}\nhttp {{\naccess_log off;"));
    line(format_args!("client_body_temp_path \"{here}/body\";"));
    // A module that is not built in has no such directive.
    for module in ["proxy", "fastcgi", "uwsgi", "scgi"] {
        if !built.contains(&format!("--without-http_{module}_module")) {
            line(format_args!("{module}_temp_path \"{here}/{module}\";"));
        }
    }
    line(format_args!(
        "server {{\nlisten {address} ssl;\nroot \"{}\";\nssl_protocols TLSv1.2 TLSv1.3;",
        site.root.display()
    ));
    for one in site.certificates {
        let (certificate, key) = (one.certificate.display(), one.key.display());
        line(format_args!("ssl_certificate \"{certificate}\";\nssl_certificate_key \"{key}\";"));
    }
    for (protocol, names) in site.cipher_lists() {
        match protocol {
            "TLSv1.3" => line(format_args!("ssl_conf_command Ciphersuites {names};")),
            _ => line(format_args!("ssl_ciphers {names};")),
        }
    }
    text + "}\n}\n"
}

#[cfg(test)]
mod tests {
    use super::super::tests::with_site;
    use super::*;

    #[test]
    fn it_has_no_directive_that_nginx_does_not_know_and_writes_nowhere_else() {
        let built = "--with-http_ssl_module --without-http_scgi_module";
        with_site(|site, worker, address| {
            let text = configuration(built, Path::new("/run/x"), address, Some(worker), site);
            for line in [
                "user nobody nogroup;",
                "listen 127.0.0.1:4433 ssl;",
                "uwsgi_temp_path \"/run/x/uwsgi\";",
                "ssl_ciphers AES128-SHA:ECDHE-ECDSA-AES128-SHA;",
                "ssl_conf_command Ciphersuites TLS_AES_128_GCM_SHA256;",
                "ssl_certificate_key \"/run/k\";",
            ] {
                assert!(text.lines().any(|one| one == line), "{line}: {text}");
            }
            assert!(!text.contains("scgi_temp"), "{text}");
            let text = configuration(built, Path::new("/run/x"), address, None, site);
            assert!(!text.contains("user"), "{text}");
        });
    }
}
