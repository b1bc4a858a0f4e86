//! An inlet for a value that belongs to a thread.

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
        eu.token(Sum::call(n - 2, eu.reply(Self::add().right)));
        Start::Wait(Sum { out })
    }

    #[slot]
    fn add(self, left: std::rc::Rc<u64>, right: u64, eu: &mut Eu<Self>) {
        eu.put(self.out, *left + right);
    }
}

fn main() {
    let _ = Machine::threads(1).run(|out| Sum::call(3, out));
}

//~ ERROR 22:24 a value of type `Rc<u64>` cannot travel between nodes
//~ NOTE derive it for a type of your own: `#[derive(Wire)]`
//~ NOTE a value that is only read travels within its process as `Shared`
