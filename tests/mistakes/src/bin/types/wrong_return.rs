//! A fiber whose return type does not decide the fate of its frame.

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
        eu.spawn(Self::log());
        Start::Wait(Sum { out })
    }

    #[slot]
    fn add(self, left: u64, right: u64, eu: &mut Eu<Self>) {
        eu.put(self.out, left + right);
    }

    #[spawned]
    fn log(&mut self) -> bool {
        true
    }
}

fn main() {
    let _ = Machine::threads(1).run(|out| Sum::call(3, out));
}

//~ ERROR 28:26 a fiber of `&mut self` cannot return `bool`
//~ NOTE it returns `()` (its frame stays), `Then` (the frame stays or ends), or a `Result` of one of these; a fiber of `self` ends its frame
