//! What is read of the paper: figures, tables and statements.

use super::chip::{Chip, changes};
use super::figures;
use super::program::{Factors, Program, Waiting};
use super::results::{
    CORES, ENDS, FEW_CORES, PLACES, Published, Results, THREE, by, changed, cores_of, in_bursts, in_step,
    mean,
};
use super::statements::{signed, statements};
use crate::document::{Document, Part, Table};
use crate::numbers::percent;
use crate::statements::{Verdict, count};

const TITLE: &str = "A many-core: FFTs by stages on up to 64 cores";

/// The page on times of stages alone.
pub(crate) fn stages(results: &Results) -> Document {
    Document { title: TITLE, parts: figures::all_stages(results).map(Part::figure).into() }
}

pub(crate) fn document(results: &Results) -> Document {
    let rows = statements(results);
    let of = |verdict| count(&rows, verdict);
    let Chip { delay, latency, near, request, .. } = Chip::c64(64);
    let mut parts = vec![
        Part::heading(1, TITLE),
        Part::words(format!(
            "Chen and Gao, *Performance Analysis of Cooley-Tukey FFT Algorithms for a Many-core \
             Architecture*. Of {} statements {} hold, {} in \
             part, {} do not, {} cannot be told here.",
            rows.len(),
            of(Verdict::Holds),
            of(Verdict::InPart),
            of(Verdict::DoesNotHold),
            of(Verdict::CannotBeTold)
        )),
        Part::Command("earth-fft simulate manycore --out docs/manycore-paper.md".to_owned()),
        Part::words(
            "The chip is simulated event by event: elements that issue an operation a cycle in order, \
             ports, a crossbar with a delay, banks that serve \
             first come first served. It plays the loads, stores and arithmetic of the programs, whose \
             addresses come of the same code by \
             which `transform --algorithm radix-2` transforms. The paper's model stands beside it and \
             shares none of its equations with it.",
        ),
        Part::words(format!(
            "Published are 64 cores of two elements at 500 MHz, that these share a floating-point unit, \
             ports and 80 banks of 8 bytes a cycle, and lines of 128 bytes. \
             Not published, and our estimates: a request without data takes {request} bytes (S_r), the \
             crossbar {delay} cycles one way (D), a floating-point \
             operation {latency} cycles to its result, a butterfly's index and addresses 9 integer \
             operations in radix 2 and 11 in radix 4 (both T_C), a load from the element's own memory \
             {near} cycles, \
             and a barrier what a counter in a bank takes, {:.0} cycles for 128 elements (T_B). None was \
             chosen to make a statement hold; the last table shows what they change.",
            results.barrier(&Chip::c64(64))
        )),
        Part::heading(2, "The paper's statements"),
    ];
    parts.extend(rows.into_iter().map(Part::Statement));
    parts.push(Part::heading(2, "The paper's figures"));
    let [six, seven, twelve] = figures::all_stages(results);
    parts.extend(
        [
            six,
            seven,
            figures::time_by_points(results),
            figures::rate_by_points(results),
            figures::rate_by_cores(results),
            figures::speedup(results),
            twelve,
            figures::rate_of_higher(results),
            figures::more_elements(results),
        ]
        .map(Part::figure),
    );
    parts.push(Part::heading(2, "What the paper could not ask"));
    parts
        .extend([paces(results), waiting(results), places(results), changed_chips(results)].map(Part::Table));
    parts.push(Part::words(
        "The model takes elements to keep in step, one burst after another. Nothing on the chip makes them \
         do so, and most of the model's error is that \
         they do not: one computes while the points of another are on their way, and they do not all ask \
         one bank at once. Without barriers an element signals those that take its points in the next \
         stage, and waits for those whose points it takes. From the stage on \
         whose points lie as many apart as there are elements, butterflies keep to their element and nobody \
         signals.",
    ));
    Document { title: TITLE, parts }
}

/// What the model takes for granted.
fn paces(results: &Results) -> Table {
    let mut table = Table::new(["elements"].into_iter().map(str::to_owned).chain(FEW_CORES.map(cores_of)))
        .titled("The model's error in a stage without its sign, the mean of Figures 6 and 7, by what elements wait for");
    let paces: [(_, Published); 3] = [
        ("for what the next operation needs", by),
        ("for all loads, then for all stores of a butterfly", in_bursts),
        ("and for all others after each butterfly, as the model has it", in_step),
    ];
    for (name, program) in paces {
        let errors = FEW_CORES.map(|cores| {
            let stages =
                [2, 4].into_iter().flat_map(|radix| results.stage_errors(&program(radix, 10, cores)));
            percent(mean(stages.map(f64::abs)))
        });
        table.row(std::iter::once(name.to_owned()).chain(errors).collect::<Vec<_>>());
    }
    table
}

/// Barriers against dataflow.
fn waiting(results: &Results) -> Table {
    let names = ["cores"].into_iter().map(str::to_owned).chain(THREE.map(|log| format!("2^{log} points")));
    let row = |cores: usize| {
        let gains = THREE.map(|log| {
            let barriers = by(2, log, cores);
            let signals = Program { waiting: Waiting::Signals, ..barriers.clone() };
            format!("{:.3}", results.cycles(&barriers) / results.cycles(&signals))
        });
        std::iter::once(cores.to_string()).chain(gains).collect::<Vec<_>>()
    };
    Table::new(names)
        .titled("PAR-R2 with a barrier a stage over the same by dataflow: the ratio of times")
        .with(CORES.map(row))
}

fn name_of(factors: Factors) -> String {
    match factors {
        Factors::Stacked => "one after another, as published".to_owned(),
        Factors::Near(stages) => format!("those of stages 1 to {stages} near, PAR-R2LM"),
        Factors::Spread => "each in a line of its own".to_owned(),
        Factors::Copied(copies) => format!("{copies} copies"),
        Factors::Kept => "kept in registers while it is the same".to_owned(),
    }
}

/// Where factors lie.
fn places(results: &Results) -> Table {
    let columns = || ENDS.into_iter().flat_map(|log| [16, 64].map(|cores| (log, cores)));
    let names = ["factors"].into_iter().map(str::to_owned);
    let names = names.chain(columns().map(|(log, cores)| format!("2^{log}, {cores} cores")));
    let row = |name: String, change: &dyn Fn(Program) -> Program| {
        let rates =
            columns().map(|(log, cores)| format!("{:.2}", results.gflops(&change(by(2, log, cores)))));
        std::iter::once(name).chain(rates).collect::<Vec<_>>()
    };
    let mut table = Table::new(names).titled("PAR-R2 in Gflops, by where factors lie");
    for factors in PLACES {
        table.row(row(name_of(factors), &|program| Program { factors, ..program }));
    }
    table.row(row("kept, and no barriers".to_owned(), &|program| Program {
        factors: Factors::Kept,
        waiting: Waiting::Signals,
        ..program
    }));
    table
}

/// What the estimates change.
fn changed_chips(results: &Results) -> Table {
    let names = ["the chip", "PAR-R2", "its model's error", "PAR-R4", "its model's error"];
    let mut table = Table::new(names.map(str::to_owned))
        .titled("What the chip and our estimates of it change: Gflops and errors at 2^10 and 2^16 points on 16 cores, then on 64");
    for (name, change) in changes() {
        let told = |radix| {
            let programs: Vec<_> = [16, 64]
                .into_iter()
                .flat_map(|cores| ENDS.map(|log| changed(by(radix, log, cores), change)))
                .collect();
            let list = |shown: &dyn Fn(&Program) -> String| {
                programs.iter().map(shown).collect::<Vec<_>>().join(", ")
            };
            [
                list(&|program| format!("{:.2}", results.gflops(program))),
                list(&|program| signed(results.error(program))),
            ]
        };
        let [two, two_error] = told(2);
        let [four, four_error] = told(4);
        table.row([name.to_owned(), two, two_error, four, four_error]);
    }
    table
}
