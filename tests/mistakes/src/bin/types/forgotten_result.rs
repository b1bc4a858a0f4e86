//! A question mark in a fiber without a return value.

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
        Start::Wait(Sum { out })
    }

    #[slot]
    fn add(self, left: u64, right: u64, eu: &mut Eu<Self>) {
        eu.put(self.out, left + "1".parse::<u64>()? + right);
    }
}

fn main() {
    let _ = Machine::threads(1).run(|out| Sum::call(3, out));
}

//~ ERROR 23:51 the `?` operator can only be used in a method that returns `Result` or `Option` (or another type that implements `FromResidual`)
