//! The property query of a whole process: `default_properties`, property(7).

use super::NAME;

/// The entries of a query such as `fips=yes,?provider=outboard`. Each property occurs at most once.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Properties(Vec<String>);

impl Properties {
    pub(super) fn parse(query: &str) -> Self {
        let entries = query.split(',').map(str::trim).filter(|e| !e.is_empty());
        Self(entries.map(str::to_owned).collect())
    }

    /// Adds an entry and removes any other entry about the same property.
    pub(super) fn set(&mut self, entry: &str) {
        self.0.retain(|e| name(e) != name(entry));
        self.0.push(entry.to_owned());
    }

    fn get(&self, property: &str) -> Option<&str> {
        self.0.iter().map(String::as_str).find(|e| name(e) == property)
    }

    /// Whether only validated implementations may be used. outboard is not validated and never
    /// claims to be.
    pub(super) fn fips(&self) -> bool {
        self.get("fips").is_some_and(|e| {
            let value = e.split_once('=').map_or("yes", |(_, v)| v.trim());
            !e.starts_with(['?', '-']) && !e.contains("!=") && value.trim_matches(['"', '\'']) == "yes"
        })
    }

    /// The entry that selects another provider. It prevents a preference for outboard, because a
    /// query can contain `provider` only once.
    pub(super) fn rival(&self) -> Option<&str> {
        let entry = self.get("provider")?;
        let value = entry.split_once('=').map(|(_, v)| v.trim().trim_matches(['"', '\'']));
        let replaceable = value == Some(NAME) || (entry.starts_with('?') && value == Some("default"));
        let ours = replaceable && !entry.contains("!=");
        (!ours).then_some(entry)
    }

    /// The query with outboard preferred, unless it selects another provider.
    pub(super) fn with_outboard(&self) -> String {
        let mut merged = self.clone();
        if self.rival().is_none() {
            merged.set(&format!("?provider={NAME}"));
        }
        merged.0.join(",")
    }
}

/// Property name of an entry: `provider` in `?provider != default`. OpenSSL ignores its case.
fn name(entry: &str) -> String {
    let entry = entry.trim_start_matches(['?', '-']);
    let end = entry.find(['=', '!']).unwrap_or(entry.len());
    entry[..end].trim().to_ascii_lowercase()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn merged(query: &str) -> String {
        Properties::parse(query).with_outboard()
    }

    #[test]
    fn a_property_stands_once() {
        assert_eq!(merged(""), "?provider=outboard");
        assert_eq!(merged("?provider=default"), "?provider=outboard");
        assert_eq!(merged("fips=yes , ?PROVIDER = outboard"), "fips=yes,?provider=outboard");
        assert_eq!(merged("?fips=yes,foo.bar=baz"), "?fips=yes,foo.bar=baz,?provider=outboard");
    }

    #[test]
    fn another_provider_that_is_wanted_stays() {
        for query in ["provider=default", "?provider=tpm2", "provider!=outboard", "-provider"] {
            assert_eq!(merged(query), query);
            assert_eq!(Properties::parse(query).rival(), Some(query));
        }
    }

    #[test]
    fn fips_is_in_force_only_when_it_must_be() {
        for query in ["fips", "fips=yes", "x=y, FIPS = yes"] {
            assert!(Properties::parse(query).fips(), "{query}");
        }
        for query in ["", "?fips=yes", "-fips", "fips=no", "fips!=yes", "fipsy=yes"] {
            assert!(!Properties::parse(query).fips(), "{query}");
        }
    }
}
