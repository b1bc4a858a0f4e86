//! A slot without inlets or signals.

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
        eu.token(Sum::call(n - 1, out));
        eu.token(Sum::call(n - 2, out));
        Start::Wait(Sum { out })
    }

    #[slot]
    fn add(self, eu: &mut Eu<Self>) {
        eu.put(self.out, 1);
    }
}

fn main() {
    let _ = Machine::threads(1).run(|out| Sum::call(3, out));
}

//~ ERROR 22:8 `add` is never enabled: its slot counts no inlets and no signals. Write `#[slot(sync)]` for one signal, `#[slot(syncs = count)]` for several, or `#[spawned]`
