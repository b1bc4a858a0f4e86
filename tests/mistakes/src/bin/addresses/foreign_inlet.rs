//! An inlet of another function.

use earth::{Eu, Machine, Reply, Start, threaded};

struct Sum {
    out: Reply<u64>,
}

struct Other;

#[threaded]
impl Other {
    fn start(eu: &mut Eu<Self>) -> Self {
        eu.put(eu.reply(Self::end().value), 1);
        Other
    }

    #[slot]
    fn end(self, value: u64, eu: &mut Eu<Self>) {
        let _ = (value, eu);
    }
}

#[threaded]
impl Sum {
    fn start(n: u64, out: Reply<u64>, eu: &mut Eu<Self>) -> Start<Self> {
        if n < 2 {
            eu.put(out, n);
            return Start::End;
        }
        eu.token(Sum::call(n - 1, eu.reply(Self::add().left)));
        eu.token(Sum::call(n - 2, eu.reply(Other::end().value)));
        Start::Wait(Sum { out })
    }

    #[slot]
    fn add(self, left: u64, right: u64, eu: &mut Eu<Self>) {
        eu.put(self.out, left + right);
    }
}

fn main() {
    let _ = Machine::threads(1).run(|out| Sum::call(3, out));
    let _ = Machine::threads(1).run(|_: Reply<u64>| Other::call());
}

//~ ERROR 32:44 mismatched types
