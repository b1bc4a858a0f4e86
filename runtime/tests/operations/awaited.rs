//! Tokens that are made when their values are there: on every machine, with their counts.

use crate::common::{fails, gives, on_every};
use earth::collective::{Group, Kept, keep};
use earth::patterns::ask;
use earth::simulated::Profile;
use earth::{Arrived, CellRef, Config, Error, Eu, Machine, NodeId, Reply, SlotRef, Then, Work, threaded};

/// Waits in every way for values: of cells of its own, written before and after, of a cell on the last node,
/// and of a function that is asked there.
struct Waits {
    kept: Option<SlotRef>,
    out: Reply<Vec<String>>,
}

#[threaded]
impl Waits {
    fn start(out: Reply<Vec<String>>, eu: &mut Eu<Self>) -> Self {
        let last = NodeId::new(eu.nodes() - 1)..NodeId::new(eu.nodes());
        keep(eu, Group::new(last), [17u64], eu.reply(Self::there().kept));
        eu.write(eu.cell_ref(Self::early()), "early".to_owned());
        Waits { kept: None, out }
    }

    #[cell]
    fn early() -> String;

    #[cell]
    fn late() -> String;

    #[slot]
    fn there(&mut self, kept: Vec<Kept<u64>>, eu: &mut Eu<Self>) {
        let number = kept[0].value;
        self.kept = Some(kept[0].done);
        let (early, late) = (eu.cell_ref(Self::early()), eu.cell_ref(Self::late()));
        let to = eu.replies(Self::all().texts);
        let last = NodeId::new(eu.nodes() - 1);
        let node = move || ask(move |to, eu| eu.invoke(last, Where::call(to)));
        // The closure holds what cannot travel.
        let stays = std::cell::Cell::new("one");
        eu.token_when(early, move |a| Join::call(vec![stays.take().into(), a], to.at(0)));
        eu.token_when((late, number), move |(a, b)| Join::call(vec![a, b.to_string()], to.at(1)));
        eu.token_when((number, early, node()), move |(a, b, c): (_, _, NodeId)| {
            Join::call(vec![a.to_string(), b, c.to_string()], to.at(2))
        });
        eu.token_when((node(), late, early, late), move |(a, b, c, d): (NodeId, _, _, _)| {
            Join::call(vec![a.to_string(), b, c, d], to.at(3))
        });
        eu.token_when(vec![late, early, late], move |texts| Join::call(texts, to.at(4)));
        eu.token_when(Vec::<CellRef<String>>::new(), move |texts| Join::call(texts, to.at(5)));
        eu.write(late, "late".to_owned());
    }

    #[slot]
    fn all(self, #[inlets(6)] texts: Arrived<'_, String>, eu: &mut Eu<Self>) {
        self.kept.into_iter().for_each(|kept| eu.rsync(kept));
        eu.put(self.out, texts.collect());
    }
}

struct Where;

#[threaded]
impl Where {
    fn start(to: Reply<NodeId>, eu: &mut Eu<Self>) {
        eu.put(to, eu.node());
    }
}

struct Join;

#[threaded]
impl Join {
    fn start(texts: Vec<String>, to: Reply<String>, eu: &mut Eu<Self>) {
        eu.put(to, texts.join(" "));
    }
}

#[test]
fn a_token_is_made_when_its_values_are_there() {
    on_every(|case| {
        let run = gives(&mut case.machine(), Waits::call);
        let last = case.last();
        let expected = [
            "one early".to_owned(),
            "late 17".to_owned(),
            format!("17 early {last}"),
            format!("{last} late early late"),
            "late early late".to_owned(),
            String::new(),
        ];
        assert_eq!(run.value, expected);
        // Six tokens, each made by an invoked function. Two questions and the kept value take two invoked
        // functions each.
        assert_eq!((run.counters.tokens, run.counters.invokes), (6, 10));
        assert_eq!(run.counters.fibers, 3 + 6 + 6 + 5 + 2 + 4);
    });
}

/// Starts works that need the value of a cell, which is written when all of them wait for it.
struct Works {
    done: Reply<Vec<NodeId>>,
}

#[threaded]
impl Works {
    fn start(works: usize, done: Reply<Vec<NodeId>>, eu: &mut Eu<Self>) -> Self {
        let (cell, to) = (eu.cell_ref(Self::cell()), eu.replies(Self::all().ran_on));
        for i in 0..works {
            let counts = ask(move |to, eu| eu.put(to, i));
            eu.token_when((cell, counts), move |(value, i)| Takes::call(value, to.at(i)));
        }
        eu.invoke(eu.node(), Signals::call(works, eu.slot_ref(Self::write())));
        Works { done }
    }

    #[cell]
    fn cell() -> u64;

    #[slot(sync)]
    fn write(&mut self, eu: &mut Eu<Self>) {
        eu.write(eu.cell_ref(Self::cell()), 100_000);
    }

    #[slot]
    fn all(self, #[inlets(works)] ran_on: Arrived<'_, NodeId>, eu: &mut Eu<Self>) {
        eu.put(self.done, ran_on.collect());
    }
}

/// Signals a slot after some time.
struct Signals {
    left: usize,
    to: SlotRef,
}

#[threaded]
impl Signals {
    fn start(left: usize, to: SlotRef, eu: &mut Eu<Self>) -> Self {
        eu.spawn(Self::wait());
        Signals { left, to }
    }

    #[spawned]
    fn wait(&mut self, eu: &mut Eu<Self>) -> Then {
        eu.work(Work::Cycles(1_000));
        if self.left == 0 {
            eu.rsync(self.to);
            return Then::End;
        }
        self.left -= 1;
        eu.spawn(Self::wait());
        Then::Wait
    }
}

struct Takes;

#[threaded]
impl Takes {
    fn start(cycles: u64, to: Reply<NodeId>, eu: &mut Eu<Self>) {
        eu.work(Work::Cycles(cycles));
        eu.put(to, eu.node());
    }
}

#[test]
fn idle_nodes_take_work_over_that_waited_on_one_node() {
    let profile = Profile::named("manna50").expect("it is built in");
    for config in [Config::Spn, Config::Dual] {
        let mut machine = Machine::simulated(&profile).nodes(4).config(config);
        let run = gives(&mut machine, |out| Works::call(64, out));
        // All reads came before the write, so all works waited on node 0.
        assert_eq!(run.counters.deferred_reads, 64, "{config}");
        for node in 0..4 {
            let ran = run.value.iter().filter(|&&on| on == NodeId::new(node)).count();
            assert!(ran >= 12, "node {node} ran {ran} of 64 works in {config}");
        }
    }
}

/// Waits for a cell that is never written.
struct Forgets;

#[threaded]
impl Forgets {
    fn start(to: Reply<NodeId>, eu: &mut Eu<Self>) -> Self {
        let cell = eu.cell_ref(Self::cell());
        eu.token_when(cell, move |value| Takes::call(value, to));
        eu.get(cell, eu.reply(Self::end().value));
        Forgets
    }

    #[cell]
    fn cell() -> u64;

    #[slot]
    fn end(self, value: u64) {
        unreachable!("nobody wrote {value}")
    }
}

#[test]
fn a_token_whose_value_never_comes_is_reported() {
    on_every(|case| {
        let error = fails::<_, NodeId>(&mut case.machine(), Forgets::call);
        let Error::Stuck(stuck) = error else { panic!("{error}") };
        assert!(stuck.to_string().contains("When"), "{stuck}");
    });
}
