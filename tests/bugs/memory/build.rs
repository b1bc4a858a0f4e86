//! Has the library compiled with the switch of `tests/bugs/src/switch.rs`. That its hooks and the list of bugs agree is for
//! the build script of `tests/bugs` to check.

fn main() {
    println!("cargo::rerun-if-changed=build.rs");
    println!("cargo::rustc-cfg=seeded");
}
