//! Operations of fibers: signals, values, cells, blocks, tokens, and the order of their effects.

use earth_test_support as common;

mod awaited;
mod blocks;
mod cells;
mod collective;
mod collective_rounds;
mod counters;
mod early_values;
mod endless;
mod exploring;
mod farms;
mod graphs;
mod isolated;
mod isolated_cases;
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
mod scratch;
mod slots;
mod stencil;
mod stream_ends;
mod streams;
mod termination;
mod timers;
mod tokens;
mod turns;
