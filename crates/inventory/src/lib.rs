//! What crypto hardware is here and who can reach it, from / or from a saved tree.
