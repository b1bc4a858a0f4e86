//! Operations of fibers: signals, values, cells, blocks, tokens, and the order of their effects.

use earth_test_support as common;

mod blocks;
mod cells;
mod collective;
mod collective_rounds;
mod counters;
mod early_values;
mod endless;
mod farms;
mod jobs;
mod lists;
mod litmus;
mod litmus_runs;
mod overflow;
mod ownership;
mod panicking_drops;
mod patterns;
mod phantoms;
mod polling;
mod slots;
mod stencil;
mod stream_ends;
mod streams;
mod termination;
mod tokens;
mod turns;
