//! Networks of the simulated machine, with an exchange of blocks between all members.

use crate::common::gives;
use earth::collective::{ExchangeInlets, Group, Peers, all_to_all, everywhere};
use earth::simulated::{Faults, NetworkKind, Profile};
use earth::{Arrived, Block, Config, Error, Eu, Machine, Reply, threaded};
use snapbox::{assert_data_eq, str};

/// Each of `members` members sends each other member a block of `words` words. Puts the sum of the received
/// blocks.
struct Exchange {
    out: Reply<Vec<u64>>,
}

#[threaded]
impl Exchange {
    fn start(members: usize, words: usize, out: Reply<Vec<u64>>, eu: &mut Eu<Self>) -> Self {
        let (group, sums) = (Group::all(eu), eu.replies(Self::done().sums));
        let meets = eu.reply(Self::introduce().meets);
        let given = (0..members).map(|member| (member as u64, words, sums.at(member)));
        everywhere::<Trader>(eu, group, given, meets);
        Exchange { out }
    }

    #[slot]
    fn introduce(&mut self, meets: Vec<ExchangeInlets<Block<u64>>>, eu: &mut Eu<Self>) {
        all_to_all(eu, 1, meets);
    }

    #[slot]
    fn done(self, #[inlets(members)] sums: Arrived<'_, u64>, eu: &mut Eu<Self>) {
        eu.put(self.out, sums.collect());
    }
}

struct Trader {
    member: u64,
    words: usize,
    sum: Reply<u64>,
}

#[threaded]
impl Trader {
    fn start(
        member: u64,
        words: usize,
        sum: Reply<u64>,
        hello: Reply<ExchangeInlets<Block<u64>>>,
        eu: &mut Eu<Self>,
    ) -> Self {
        eu.put(
            hello,
            ExchangeInlets { peers: eu.reply(Self::trade().peers), values: eu.reply(Self::add().blocks) },
        );
        Trader { member, words, sum }
    }

    #[slot]
    fn trade(&mut self, mut peers: Peers<Block<u64>>, eu: &mut Eu<Self>) {
        let values = 0..peers.members() as u64;
        peers.send(eu, values.map(|to| Block::from_fn(1, self.words, |_, _| self.member * 100 + to)));
    }

    #[slot]
    fn add(self, blocks: Vec<Block<u64>>, eu: &mut Eu<Self>) {
        eu.put(self.sum, blocks.iter().map(|block| block.row(0)[0]).sum());
    }
}

/// Returns the profile of a machine on which only bytes on links take time.
fn bytes_alone(kind: NetworkKind) -> Profile {
    let mut profile = Profile::free();
    (profile.network.kind, profile.network.byte) = (kind, 1.0);
    profile
}

const MEMBERS: u64 = 16;

/// Returns the cycles of an exchange of blocks of `words` words, after checking its result.
fn cycles(machine: &mut Machine, words: usize) -> u64 {
    let run = gives(machine, |out| Exchange::call(MEMBERS as usize, words, out));
    let sum = |to| (0..MEMBERS).map(|from| from * 100 + to).sum::<u64>();
    assert_eq!(run.value, (0..MEMBERS).map(sum).collect::<Vec<_>>());
    run.cycles.expect("time is virtual")
}

/// On one crossbar every link carries 15 blocks. If no two members send to the same member at once, the
/// exchange takes the time of sending the blocks one at a time, plus one block. If all began with the same
/// member, the blocks for the last one would wait for nearly as long again.
#[test]
fn members_do_not_all_send_to_the_same_one() {
    let words = 1000;
    let block = 8 * words as u64;
    let mut profile = bytes_alone(NetworkKind::Crossbar);
    (profile.spn.send_block, profile.dual.send_block) = (block, block);
    for config in [Config::Spn, Config::Dual] {
        let mut machine = Machine::simulated(&profile).nodes(MEMBERS as usize).config(config);
        assert_eq!(cycles(&mut machine, words), MEMBERS * block);
    }
}

#[test]
fn a_machine_on_a_torus_takes_what_its_links_allow_and_each_run_is_like_the_first() {
    let mut profile = bytes_alone(NetworkKind::Torus);
    profile.network.torus.sides = vec![4, 2, 2];
    assert_eq!(Profile::from_toml(&profile.to_toml()), Ok(profile.clone()));
    // Each link of the longest dimension carries an eighth of its length, times the number of nodes, of the
    // blocks of all pairs.
    let words = 300;
    let least = profile.network.torus.link_bytes(8 * words as u64) * 4 * MEMBERS / 8;
    for config in [Config::Spn, Config::Dual] {
        let machine = || Machine::simulated(&profile).nodes(MEMBERS as usize).config(config);
        let mut first = machine();
        let time = cycles(&mut first, words);
        assert!((least..2 * least).contains(&time), "{time} cycles, at least {least}");
        assert_eq!(cycles(&mut first, words), time);
        assert_eq!(cycles(&mut machine().record(true), words), time);
        cycles(&mut machine().faults(Faults { delay: 5000, slowness: 3 }).seed(7), words);
    }
}

#[test]
fn a_torus_of_other_nodes_is_refused_in_a_sentence() {
    let mut profile = bytes_alone(NetworkKind::Torus);
    profile.network.torus.sides = vec![4, 3];
    let error =
        Machine::simulated(&profile).nodes(16).run(|out| Exchange::call(2, 1, out)).map(|run| run.value);
    let Err(Error::CannotBuild(why)) = error else { panic!("{error:?}") };
    assert_data_eq!(why, str!["a torus of 4 x 3 has 12 nodes, not 16"]);
}
