//! A signal for a fiber without a slot.

use earth::{Eu, Machine, Reply, Start, threaded};

struct Sum {
    out: Reply<u64>,
}

#[threaded]
impl Sum {
    fn start(n: u64, out: Reply<u64>, eu: &mut Eu<Self>) -> Start<Self> {
        if n < 2 {
            eu.put(out, n);
            return Start::End;
        }
        eu.token(Sum::call(n - 1, eu.reply(Self::add().left)));
        eu.token(Sum::call(n - 2, eu.reply(Self::add().right)));
        eu.sync(Self::log());
        Start::Wait(Sum { out })
    }

    #[slot]
    fn add(self, left: u64, right: u64, eu: &mut Eu<Self>) {
        eu.put(self.out, left + right);
    }

    #[spawned]
    fn log(&mut self) {}
}

fn main() {
    let _ = Machine::threads(1).run(|out| Sum::call(3, out));
}

//~ ERROR 18:17 this is not a slot of `Sum`
//~ NOTE a slot is named by its fiber: `Self::name()` for one under `#[slot]`, `Self::name(index)` for one under `#[slots]`
//~ NOTE a fiber under `#[spawned]` has no slot: enable it by `eu.spawn`
