use super::*;

fn small(radix: usize, cores: usize) -> Program {
    Program::published(6, radix, Chip::c64(cores))
}

#[test]
fn each_stage_reads_what_the_one_before_has_written() {
    for radix in [2, 4, 8] {
        for cores in [1, 3, 4, 16] {
            for waiting in [Waiting::Barriers, Waiting::Signals] {
                let program = Program { waiting, ..small(radix, cores) };
                let run = program.run();
                assert_eq!((run.stale, run.ends.len()), (0, program.stages() as usize), "{program:?}");
                assert!(run.ends.is_sorted() || waiting == Waiting::Signals);
            }
        }
        let wrong = Program { waiting: Waiting::Nothing, ..small(radix, 3) };
        assert!(wrong.run().stale > 0, "radix {radix}");
    }
}

/// Stricter waiting, up to the model's assumption, takes longer.
#[test]
fn waiting_for_more_takes_longer() {
    for cores in [3, 4] {
        let [free, bursts, in_step] =
            [Pace::Free, Pace::Bursts, Pace::InStep].map(|pace| Program { pace, ..small(2, cores) }.run());
        assert!(free.cycles < bursts.cycles && bursts.cycles <= in_step.cycles, "{cores} cores");
        assert_eq!([free.stale, bursts.stale, in_step.stale], [0; 3]);
        assert!(free.spent.integer == bursts.spent.integer && bursts.spent.integer == in_step.spent.integer);
    }
}

/// One element on a chip of its own shares no port, so its cost is the sum of its butterflies' costs.
#[test]
fn one_element_takes_what_its_butterflies_take_one_after_another() {
    let chip = Chip { elements: 1, ..Chip::c64(1) };
    let once = Program::published(1, 2, chip.clone()).run();
    let all = Program::published(6, 2, chip).run();
    let (butterflies, stages) = (32 * 6, 6);
    assert_eq!(all.spent.integer, butterflies * once.spent.integer);
    // A barrier of one element: a round trip, and a cycle at the counter.
    assert!(all.spent.waiting.abs_diff(stages * once.spent.waiting) <= stages, "{all:?}, {once:?}");
    // The only difference: stores of the previous butterfly may be in flight when the next one's loads are
    // issued.
    let alone = once.cycles - once.spent.waiting;
    assert!(all.cycles - all.spent.waiting >= butterflies * (alone - 4), "{all:?}, {once:?}");
    assert!(all.cycles - all.spent.waiting <= butterflies * (alone + 4), "{all:?}, {once:?}");
}

#[test]
fn factors_are_where_they_should_be() {
    let plan = |factors| {
        let program: &'static Program = Box::leak(Box::new(Program { factors, ..small(2, 4) }));
        Plan { program, order: program.order(), code: &[], elements: 8 }
    };
    let bank = |plan: Plan<'_>, element, row| plan.program.chip.bank(plan.factor(element, row, 0));
    // 64 points are 8 lines.
    let stacked = plan(Factors::Stacked);
    assert_eq!([0, 7, 8, 62].map(|row| bank(stacked, 3, row)), [8, 8, 9, 15]);
    let spread = plan(Factors::Spread);
    assert_eq!([0, 7, 8, 62].map(|row| bank(spread, 3, row)), [8, 15, 16, 70]);
    let copied = plan(Factors::Copied(4));
    assert_eq!([0, 1, 2, 3, 4].map(|element| bank(copied, element, 0)), [8, 28, 48, 68, 8]);
    let copies: BTreeSet<_> = (0..4).flat_map(|e| (0..63).map(move |row| copied.factor(e, row, 0))).collect();
    assert_eq!(copies.len(), 4 * 63);
}

/// Factors in own memory, or kept in registers, are not loaded from banks; all other loads are unchanged.
#[test]
fn factors_that_are_at_hand_are_not_loaded() {
    let loads = |factors| {
        let program = Program { factors, ..small(2, 2) };
        let code = butterfly(2);
        let plan = Plan { program: &program, order: program.order(), code: &code, elements: 4 };
        let (takers, awaited) = (Vec::new(), vec![0; 6]);
        let all = (0..4).flat_map(|element| plan.element(element, &takers, &awaited).collect::<Vec<_>>());
        all.filter(|operation| matches!(operation, Operation::Load { .. })).count()
    };
    let points = 64 * 6;
    assert_eq!(loads(Factors::Stacked), points + 32 * 6);
    assert_eq!(loads(Factors::Local(6)), points);
    assert_eq!(loads(Factors::Local(4)), points + 32 * 2);
    // In stages of 1, 2 and 4 rows an element always takes the same row; later it takes a half, a quarter, an
    // eighth ..
    assert_eq!(loads(Factors::Kept), points + 3 * 4 + 32 * 3);
}

/// Signals are sent where butterflies change their element: with 8 elements in the first three stages of
/// radix 2.
#[test]
fn a_thread_that_keeps_its_points_sends_no_signal() {
    let program = Program { waiting: Waiting::Signals, ..small(2, 4) };
    let plan = Plan { program: &program, order: program.order(), code: &[], elements: 8 };
    let counts = |element| plan.takers(element).iter().map(BTreeSet::len).collect::<Vec<_>>();
    assert_eq!(counts(0), [1, 1, 1, 0, 0]);
    let all: Vec<_> = (0..8).map(counts).collect();
    assert!(all.iter().all(|of| of[3..] == [0, 0] && of.iter().all(|&count| count <= 2)), "{all:?}");
}
