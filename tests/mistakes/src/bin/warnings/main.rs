//! Programs that compile, each with a warning.

mod call_dropped;
mod unused_fiber;
mod unused_inlet;

fn main() {
    call_dropped::main();
    unused_fiber::main();
    unused_inlet::main();
}
