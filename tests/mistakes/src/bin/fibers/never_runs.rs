//! A first fiber that leaves no state for the other fibers.

use earth::{Eu, Machine, Reply, threaded};

struct Sum {
    out: Reply<u64>,
}

#[threaded]
impl Sum {
    fn start(n: u64, out: Reply<u64>, eu: &mut Eu<Self>) {
        eu.put(eu.reply(Self::add().left), n);
        eu.put(eu.reply(Self::add().right), n);
        eu.put(out, n);
    }

    #[slot]
    fn add(self, left: u64, right: u64, eu: &mut Eu<Self>) {
        eu.put(self.out, left + right);
    }
}

fn main() {
    let _ = Machine::threads(1).run(|out| Sum::call(3, out));
}

//~ ERROR 11:8 this fiber returns no state, so the function ends with it and its other fibers never run: return `Self`, or `Start<Self>` to decide at run time
