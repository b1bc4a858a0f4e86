//! Copies the source of `earth-signal` with the changes of `changes.rs`.

#[path = "../copy.rs"]
mod copy;

mod changes;

fn main() {
    println!("cargo::rerun-if-changed=build.rs");
    println!("cargo::rerun-if-changed=changes.rs");
    println!("cargo::rerun-if-changed=../copy.rs");
    copy::copy("../../../runtime/signal/src", changes::CHANGES);
}
