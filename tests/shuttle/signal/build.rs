//! Copies the source of `earth-signal` with the changes of `changes.rs`.

#[path = "../changed.rs"]
mod changed;
mod changes;
#[path = "../copy.rs"]
mod copy;

fn main() {
    for file in ["build.rs", "changes.rs", "../changed.rs", "../copy.rs"] {
        println!("cargo::rerun-if-changed={file}");
    }
    copy::copy("../../../runtime/signal/src", changes::CHANGES);
}
