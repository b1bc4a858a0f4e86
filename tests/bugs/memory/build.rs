//! Compiles the library with the switch of `tests/bugs/src/switch.rs`. The build script of `tests/bugs`
//! checks that the hooks agree with the list of bugs.

fn main() {
    println!("cargo::rerun-if-changed=build.rs");
    println!("cargo::rustc-cfg=seeded");
}
