//! Programs that are no transforms: tokens, a wavefront, a sort by everybody with everybody.

use earth::collective::{AllToAll, Everywhere, Group, Meet, Peers, all_to_all, everywhere};
use earth::{NodeId, Replies, Reply, Then, threaded_old};

threaded_old! {
    /// The n-th Fibonacci number, two tokens a call.
    pub(crate) fn Fib(n: u64, out: Reply<u64>)
    inlets { left: u64, right: u64 }
    slots  { done: 2 => add }
    fiber start(this, eu) {
        if this.n < 2 {
            eu.put(this.out, this.n);
            return Then::End;
        }
        eu.token_old::<Fib>((this.n - 1, eu.reply_to(Self::left, Self::done)));
        eu.token_old::<Fib>((this.n - 2, eu.reply_to(Self::right, Self::done)));
        Then::Wait
    }
    fiber add(this, eu) {
        let sum = eu.take(Self::left) + eu.take(Self::right);
        eu.put(this.out, sum);
        Then::End
    }
}

threaded_old! {
    /// The last entry of a table in which each is thrice its left neighbour and its upper one.
    pub(crate) fn Front(rows: usize, cols: usize, out: Reply<u64>)
    calls { Line }
    fiber start(this, eu) {
        let last = this.rows - 1;
        eu.invoke_old::<Line>(NodeId::new(last % eu.nodes()), (last, this.cols, None, this.out));
        Then::End
    }
}

threaded_old! {
    /// Line `i` of the table. Its entries go `below`; the last entry of the last line is the result.
    fn Line(i: usize, cols: usize, below: Option<Box<Replies<u64>>>, out: Reply<u64>)
    state  { left: u64 = 1 }
    calls  { Line }
    inlets { above[this.cols]: u64 }
    slots  { entry[this.cols]: 2 => compute }
    fiber start(this, eu) {
        let above = eu.replies_to(Self::above, Self::entry);
        if this.i == 0 {
            (0..this.cols).for_each(|j| eu.put(above.at(j), 1));
        } else {
            let node = NodeId::new((this.i - 1) % eu.nodes());
            eu.invoke_old::<Line>(node, (this.i - 1, this.cols, Some(Box::new(above)), this.out));
        }
        eu.sync(Self::entry.at(0));
        Then::Wait
    }
    fiber compute(this, eu, j) {
        this.left = entry(this.left, eu.take(Self::above.at(j)));
        let last = j + 1 == this.cols;
        if let Some(below) = &this.below {
            eu.put(below.at(j), this.left);
        } else if last {
            eu.put(this.out, this.left);
        }
        if last {
            return Then::End;
        }
        eu.sync(Self::entry.at(j + 1));
        Then::Wait
    }
}

fn entry(left: u64, above: u64) -> u64 {
    left.wrapping_mul(3).wrapping_add(above)
}

/// The last entry of that table by two loops.
pub(crate) fn front(rows: usize, cols: usize) -> u64 {
    let mut line = vec![1; cols];
    for _ in 0..rows {
        line.iter_mut().fold(1, |left, above| {
            *above = entry(left, *above);
            *above
        });
    }
    line[cols - 1]
}

/// The number at `i` of those to sort.
fn number(i: usize) -> u64 {
    (i as u64 + 1).wrapping_mul(0x9E37_79B9_7F4A_7C15) >> 40
}

/// A bound above all numbers.
const END: u64 = 1 << 24;

/// `count` numbers in order, by a plain sort.
pub(crate) fn sorted(count: usize) -> Vec<u64> {
    let mut numbers: Vec<_> = (0..count).map(number).collect();
    numbers.sort_unstable();
    numbers
}

threaded_old! {
    /// `count` numbers in order, by sorters on all `nodes` nodes.
    pub(crate) fn Sort(count: usize, nodes: usize, out: Reply<Vec<u64>>)
    calls  { Everywhere<Sorter>, AllToAll<Vec<u64>> }
    inlets { meets: Vec<Meet<Vec<u64>>>, part[this.nodes]: Vec<u64> }
    slots  { met: 1 => connect, all: (this.nodes) => done }
    fiber start(this, eu) {
        let parts = eu.replies_to_one(Self::part, Self::all);
        let given = (0..this.nodes).map(|member| (this.count, parts.at(member)));
        everywhere::<Sorter>(eu, Group::all(eu), given, eu.reply_to(Self::meets, Self::met));
        Then::Wait
    }
    fiber connect(_this, eu) {
        let meets = eu.take(Self::meets);
        all_to_all(eu, 1, meets);
        Then::Wait
    }
    fiber done(this, eu) {
        let sorted = (0..this.nodes).flat_map(|part| eu.take(Self::part.at(part))).collect();
        eu.put(this.out, sorted);
        Then::End
    }
}

threaded_old! {
    /// Sends each sorter the numbers of its range, and sorts those that it gets.
    fn Sorter(count: usize, part: Reply<Vec<u64>>, meet: Reply<Meet<Vec<u64>>>)
    inlets { peers: Peers<Vec<u64>>, pieces: Vec<Vec<u64>> }
    slots  { met: 1 => cut, got: 1 => gather }
    fiber start(this, eu) {
        let meet = Meet {
            peers: eu.reply_to(Self::peers, Self::met),
            values: eu.reply_to(Self::pieces, Self::got),
        };
        eu.put(this.meet, meet);
        Then::Wait
    }
    fiber cut(this, eu) {
        let mut peers = eu.take(Self::peers);
        let members = peers.members();
        let mut pieces = vec![Vec::new(); members];
        for number in (eu.node().index()..this.count).step_by(members).map(number) {
            pieces[(number * members as u64 / END) as usize].push(number);
        }
        peers.send(eu, pieces);
        Then::Wait
    }
    fiber gather(this, eu) {
        let mut numbers = eu.take(Self::pieces).concat();
        numbers.sort_unstable();
        eu.put(this.part, numbers);
        Then::End
    }
}
