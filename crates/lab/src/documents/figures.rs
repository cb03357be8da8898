//! The numbers of a document, before it is used.

use std::fmt;

use serde::de::{Deserialize, Deserializer, Error, IgnoredAny, MapAccess, SeqAccess, Visitor};

/// Larger than any figure that is measured; quotients and products of a few of them are finite.
const LARGEST: f64 = 1e30;
/// Smaller than any figure but zero.
const SMALLEST: f64 = 1e-60;

pub struct Figures;

impl<'de> Deserialize<'de> for Figures {
    fn deserialize<D: Deserializer<'de>>(from: D) -> Result<Self, D::Error> {
        from.deserialize_any(Checker)
    }
}

struct Checker;

impl<'de> Visitor<'de> for Checker {
    type Value = Figures;

    fn expecting(&self, f: &mut fmt::Formatter) -> fmt::Result {
        f.write_str("a JSON value")
    }

    fn visit_f64<E: Error>(self, number: f64) -> Result<Figures, E> {
        let is_figure = number == 0.0 || (SMALLEST..=LARGEST).contains(&number.abs());
        if is_figure { Ok(Figures) } else { Err(E::custom(format!("{number:e} is not a figure"))) }
    }

    fn visit_bool<E>(self, _: bool) -> Result<Figures, E> {
        Ok(Figures)
    }

    fn visit_u64<E>(self, _: u64) -> Result<Figures, E> {
        Ok(Figures)
    }

    fn visit_i64<E>(self, _: i64) -> Result<Figures, E> {
        Ok(Figures)
    }

    fn visit_str<E>(self, _: &str) -> Result<Figures, E> {
        Ok(Figures)
    }

    fn visit_unit<E>(self) -> Result<Figures, E> {
        Ok(Figures)
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut list: A) -> Result<Figures, A::Error> {
        while list.next_element::<Figures>()?.is_some() {}
        Ok(Figures)
    }

    fn visit_map<A: MapAccess<'de>>(self, mut object: A) -> Result<Figures, A::Error> {
        while object.next_entry::<IgnoredAny, Figures>()?.is_some() {}
        Ok(Figures)
    }
}
