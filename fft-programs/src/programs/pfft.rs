//! The methods of Khokhriakov, Manumachu and Lastovetsky (2018) as what the grouped program is told: who gets
//! which rows, and how long these are.

use super::twod::Sharing;
use crate::partition::Distribution;
use crate::request::Refusal;
use crate::request::groups::{AbstractProcessors, Groups, Pad, Partition};
use crate::twod::lengths::{chirp_lengths, odd_lines};

/// What `asked` becomes for a matrix of points of `point` bytes.
pub(super) fn sharing(
    asked: &Groups,
    AbstractProcessors { groups, threads }: AbstractProcessors,
    [rows, cols]: [usize; 2],
    block: Option<usize>,
    point: usize,
) -> Result<Sharing, Refusal> {
    if asked.partition == Partition::Fpm {
        return Err(Refusal::NeedsSpeeds { what: "a partition by speed" });
    }
    let distribution = [rows, cols].map(|rows| balanced(rows, groups));
    let lens = [cols, rows];
    let mut sharing = Sharing { threads, distribution, block, barrier: asked.barrier, ..Sharing::default() };
    match asked.pad {
        Pad::None => {}
        Pad::Stride => sharing.stride = Some(lens.map(|len| odd_lines(len, point))),
        Pad::Chirp => {
            sharing.chirps = lens.map(|len| vec![chirp_lengths(len).first().copied().unwrap_or(0); groups]);
        }
        Pad::Spectrum => return Err(Refusal::NeedsSpeeds { what: "padding as published" }),
    }
    Ok(sharing)
}

fn balanced(rows: usize, groups: usize) -> Vec<usize> {
    Distribution::balanced(rows, groups).map_or_else(|_| Vec::new(), |all| all.rows().to_vec())
}
