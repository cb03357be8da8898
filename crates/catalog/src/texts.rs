//! Enums of which each value has a text.

/// Defines an enum with `ALL`, its values in this order, and a method that returns the text of a
/// value: its name in output and JSON, or words.
#[macro_export]
macro_rules! texts {
    ($method:ident:
     $(#[$attribute:meta])* pub enum $type:ident { $($(#[$about:meta])* $value:ident = $text:literal,)* }) => {
        $(#[$attribute])*
        pub enum $type {
            $($(#[$about])* $value,)*
        }

        impl $type {
            pub const ALL: [Self; [$($text),*].len()] = [$(Self::$value),*];

            pub const fn $method(self) -> &'static str {
                match self {
                    $(Self::$value => $text,)*
                }
            }
        }
    };
}
