//! (see the README)
