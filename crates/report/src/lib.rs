//! One result format rendered for people.
