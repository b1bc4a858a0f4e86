//! Breadth-first search on a real small graph: the friendships of a karate club (Zachary, 1977), 34 people
//! and 78 friendships.
//!
//! At each level, tokens look up the friends of all people found last. A fiber of the search keeps the new
//! people among them and begins the next level, until no person is new. The levels are compared with those
//! that a queue gives. A larger graph consists of copies of the club: each club's trainer is a friend of the
//! next club's president.
//!
//! `cargo run --release -p earth-programs -- bfs [clubs] [nodes] [spn|dual]`

use std::collections::VecDeque;
use std::ops::Range;

use earth::collective::Concat;
use earth::patterns::{Grain, MapReduce, Maps};
use earth::{Eu, Reply, Then, Wire, Work, threaded};

use crate::program::{Instance, Program, ProgramError, Size};

/// The friends of each person of a club with higher numbers. Person 0 is the trainer, 33 the president.
const FRIENDS: [&[u32]; 34] = [
    &[1, 2, 3, 4, 5, 6, 7, 8, 10, 11, 12, 13, 17, 19, 21, 31],
    &[2, 3, 7, 13, 17, 19, 21, 30],
    &[3, 7, 8, 9, 13, 27, 28, 32],
    &[7, 12, 13],
    &[6, 10],
    &[6, 10, 16],
    &[16],
    &[],
    &[30, 32, 33],
    &[33],
    &[],
    &[],
    &[],
    &[33],
    &[32, 33],
    &[32, 33],
    &[],
    &[],
    &[32, 33],
    &[33],
    &[32, 33],
    &[],
    &[32, 33],
    &[25, 27, 29, 32, 33],
    &[25, 27, 31],
    &[31],
    &[29, 33],
    &[33],
    &[31, 33],
    &[32, 33],
    &[32, 33],
    &[32, 33],
    &[33],
    &[],
];

const CLUB: u32 = FRIENDS.len() as u32;

/// Returns the friends of a person of one of `clubs` clubs.
fn friends(person: u32, clubs: u32) -> impl Iterator<Item = u32> {
    let (club, own) = (person / CLUB, person % CLUB);
    let lower = (0..own).filter(move |&other| FRIENDS[other as usize].contains(&own));
    let within = lower.chain(FRIENDS[own as usize].iter().copied()).map(move |other| club * CLUB + other);
    let next = (own == 0 && club + 1 < clubs).then(|| (club + 1) * CLUB + CLUB - 1);
    let before = (own == CLUB - 1 && club > 0).then(|| (club - 1) * CLUB);
    within.chain(next).chain(before)
}

/// Looks up the friends of the people found last.
#[derive(Clone, Wire)]
struct Looks {
    found: Vec<u32>,
    clubs: u32,
}

impl Maps for Looks {
    type Output = Vec<u32>;
    fn map(&self, range: Range<usize>) -> Vec<u32> {
        self.found[range].iter().flat_map(|&person| friends(person, self.clubs)).collect()
    }
    fn cost(&self, range: &Range<usize>) -> Work {
        Work::Cycles(200 * range.len() as u64)
    }
}

/// Computes the number of steps from one person to each.
struct Club {
    clubs: u32,
    levels: Vec<Option<u32>>,
    level: u32,
    out: Reply<Vec<Option<u32>>>,
}

#[threaded]
impl Club {
    fn start(from: u32, clubs: u32, out: Reply<Vec<Option<u32>>>, eu: &mut Eu<Self>) -> Self {
        eu.put(eu.reply(Self::found().people), vec![from]);
        Club { clubs, levels: vec![None; (clubs * CLUB) as usize], level: 0, out }
    }

    #[slot(again)]
    fn found(&mut self, people: Vec<u32>, eu: &mut Eu<Self>) -> Then {
        let is_new = |&person: &u32| {
            let level = &mut self.levels[person as usize];
            level.is_none() && level.replace(self.level).is_none()
        };
        let found: Vec<_> = people.into_iter().filter(is_new).collect();
        if found.is_empty() {
            eu.put(self.out, std::mem::take(&mut self.levels));
            return Then::End;
        }
        self.level += 1;
        let (range, grain) = (0..found.len(), Grain::of(64));
        let looks = Looks { found, clubs: self.clubs };
        eu.token(MapReduce::call(range, grain, looks, Concat, eu.reply(Self::found().people)));
        Then::Wait
    }
}

/// Computes the levels with a queue.
fn plain(from: u32, clubs: u32) -> Vec<Option<u32>> {
    let mut levels = vec![None; (clubs * CLUB) as usize];
    levels[from as usize] = Some(0);
    let mut queue = VecDeque::from([(from, 0)]);
    while let Some((person, level)) = queue.pop_front() {
        for friend in friends(person, clubs) {
            if levels[friend as usize].is_none() {
                levels[friend as usize] = Some(level + 1);
                queue.push_back((friend, level + 1));
            }
        }
    }
    levels
}

/// Searches a number of clubs, from the first trainer on.
pub struct BreadthFirst;

impl Program for BreadthFirst {
    fn name(&self) -> &'static str {
        "bfs"
    }

    fn title(&self) -> &'static str {
        "breadth-first search"
    }

    fn sizes(&self) -> &'static [Size] {
        const { &[Size::new("clubs", 200, 2).within(1, 1 << 24)] }
    }

    fn instance(&self, sizes: &[u64]) -> Result<Instance, ProgramError> {
        let clubs = sizes[0] as u32;
        Ok(Instance::new(
            || plain(0, clubs),
            move |machine| machine.run(|out| Club::call(0, clubs, out)),
            move |levels| {
                let steps = levels.iter().flatten().max().unwrap_or(&0);
                format!("the last person of {clubs} clubs is {steps} steps away")
            },
        ))
    }
}
