//! Runs of every kind of machine: the checks before a run, building the machine, and running it.

use std::time::Instant;

use super::explore::Explorer;
use super::gate::InputGate;
use super::panics::{drop_ignoring_panics, with_faults};
use super::stepped::Engine;
use super::stepper::Team;
use super::threads::WorkerPool;
use super::units::{Program, RunResult};
use super::{Kind, Machine, simulated, stuck_file, thread};
use crate::node::function::{Call, ErasedCall, Event, Threaded, kind};
use crate::program::Run;
use crate::vocabulary::address::{EntryRef, FrameId, FrameRef, Reply};
use crate::vocabulary::decoding::Decoding;
use crate::vocabulary::error::Error;
use crate::vocabulary::inside::inside_fiber;
use crate::vocabulary::shared::SharedValues;
use crate::vocabulary::value::{self, Carried, Value};
use crate::vocabulary::wire::Wire;

impl Machine {
    /// Runs a function on node 0 until no node has anything left to run. Returns the value that the program
    /// put to the reply that `main` received.
    ///
    /// ```
    /// use earth::{Eu, Machine, Reply, threaded};
    ///
    /// struct Product;
    ///
    /// #[threaded]
    /// impl Product {
    ///     fn start(a: u64, b: u64, out: Reply<u64>, eu: &mut Eu<Self>) {
    ///         eu.put(out, a * b);
    ///     }
    /// }
    ///
    /// assert_eq!(Machine::threads(1).run(|out| Product::call(6, 7, out))?.value, 42);
    /// # Ok::<(), earth::Error>(())
    /// ```
    ///
    /// # Errors
    ///
    /// The first [`Error`] ends the run. When this returns, everything that belongs to the run has been
    /// dropped, and the machine can run again. Panics of values that are dropped then are ignored.
    #[doc(alias = "block_on")]
    #[doc(alias = "install")]
    pub fn run<F: Threaded, R: Wire>(
        &mut self,
        main: impl FnOnce(Reply<R>) -> Call<F>,
    ) -> Result<Run<R>, Error> {
        self.run_with(SharedValues::default(), main)
    }

    /// Runs a function as [`run`](Machine::run) does, with values that every process has. A
    /// [`Shared`](crate::Shared) of one of them can be sent everywhere, also as bytes.
    ///
    /// ```
    /// # use earth::{Eu, Machine, NodeId, Reply, Shared, SharedValues, threaded};
    /// /// The entry of a table, looked up on the last node.
    /// struct Looks;
    ///
    /// #[threaded]
    /// impl Looks {
    ///     fn start(table: Shared<Vec<u64>>, at: usize, out: Reply<u64>, eu: &mut Eu<Self>) {
    ///         let last = NodeId::new(eu.nodes() - 1);
    ///         if eu.node() == last {
    ///             eu.put(out, table[at]);
    ///         } else {
    ///             eu.invoke(last, Looks::call(table, at, out));
    ///         }
    ///     }
    /// }
    ///
    /// let table = Shared::new(vec![0, 1, 4, 9]);
    /// let values = SharedValues::default().with(&table);
    /// let run = Machine::threads(2).through_bytes(true).run_with(values, |out| Looks::call(table, 3, out))?;
    /// assert_eq!(run.value, 9);
    /// # Ok::<(), earth::Error>(())
    /// ```
    ///
    /// # Errors
    ///
    /// Returns the same errors as [`run`](Machine::run).
    pub fn run_with<F: Threaded, R: Wire>(
        &mut self,
        shared: SharedValues,
        main: impl FnOnce(Reply<R>) -> Call<F>,
    ) -> Result<Run<R>, Error> {
        self.run_through(None, self.settings.stack_size, shared, main)
    }

    /// Runs a function as [`run_with`](Self::run_with) does. Other threads start functions through the gate
    /// `input`. Node 0 runs in a thread with a stack of `stack` bytes, or in the calling thread if `stack` is
    /// `None`.
    pub(super) fn run_through<F: Threaded, R: Wire>(
        &mut self,
        input: Option<&InputGate>,
        stack: Option<usize>,
        shared: SharedValues,
        main: impl FnOnce(Reply<R>) -> Call<F>,
    ) -> Result<Run<R>, Error> {
        let mut main = Some(main);
        let mut call = || {
            let root = EntryRef::new(FrameRef { node: 0, id: FrameId::ROOT }, 0);
            main.take().map(|main| ErasedCall::new(main(Reply::new(root)), kind::<F>()))
        };
        let decoding = Decoding {
            result: value::unpack::<R>,
            shared,
            nodes: self.settings.all_nodes() as u32,
            answers: input.map(InputGate::desk),
        };
        let mut run =
            self.run_call(input, stack, decoding, &mut call).inspect_err(|_| drop_ignoring_panics(main))?;
        let value = run.value.take().and_then(|mut value| value.take(R::KIND));
        let value = value.ok_or_else(|| Error::NoValue { function: F::LAYOUT.name() })?;
        Ok(run.map(|_| value))
    }

    /// Runs the call that the first call of `main` returns. This part is compiled once for all functions.
    fn run_call(
        &mut self,
        input: Option<&InputGate>,
        stack: Option<usize>,
        decoding: Decoding,
        main: &mut dyn FnMut() -> Option<ErasedCall>,
    ) -> Result<Run<Option<Value>>, Error> {
        self.check(|rank| rank == 0)?;
        let calls = self.first.take(self.settings.all_nodes())?;
        let main = main().map(|call| (0, Event::Invoke { node: 0, call }));
        let began = Instant::now();
        let program = Program { first: main.into_iter().chain(calls).collect(), input, decoding, began };
        let RunResult { value, by_node, cycles } =
            thread::on_stack(stack, program, |program| self.step(program)).inspect_err(stuck_file::write)?;
        let (elapsed, records) = match &mut self.kind {
            Kind::Threads(pool) => (began.elapsed(), pool.as_mut().and_then(|pool| pool.records())),
            Kind::Ranks(ranks) => (began.elapsed(), ranks.records()),
            Kind::Simulated(simulation, stepped) => {
                let elapsed = simulation.profile.time(cycles.unwrap_or(0));
                (elapsed, stepped.records(&self.settings, simulation))
            }
        };
        Ok(Run { value, counters: by_node.iter().sum(), by_node, elapsed, cycles, records })
    }

    /// Steps the units through a run.
    fn step(&mut self, program: Program<'_>) -> Result<RunResult, Error> {
        match &mut self.kind {
            Kind::Threads(pool) => {
                // In a forked child the threads of the parent's pool do not exist.
                let ready = match pool.take().filter(|pool| pool.shared.is_here()) {
                    Some(pool) => pool,
                    None => match WorkerPool::build(&self.settings) {
                        Ok(pool) => Box::new(pool),
                        Err(error) => {
                            drop_ignoring_panics(program);
                            return Err(error);
                        }
                    },
                };
                pool.insert(ready).run(program)
            }
            Kind::Ranks(ranks) => match ranks.run(&self.settings, program)? {
                Some(outcome) => Ok(outcome),
                None => unreachable!("rank 0 is not told by another one that there are no more runs"),
            },
            Kind::Simulated(simulation, stepped) => stepped.run(&self.settings, simulation, program, || {
                with_faults(|| {
                    let (conductor, orders) = (simulation.conductor.as_ref(), simulation.schedule.orders());
                    if conductor.is_some() || orders.is_some() {
                        let explorer = Explorer::build(&self.settings, simulation, conductor, orders)?;
                        Ok(Box::new(explorer) as Box<dyn Engine>)
                    } else if simulation.schedule.keeps_time() {
                        Ok(simulated::build(&self.settings, simulation))
                    } else {
                        Ok(Box::new(Team::build(&self.settings, simulation)?))
                    }
                })
            }),
        }
    }

    /// Takes part, as another rank, in a run that rank 0 of a machine of [ranks](Machine::ranks) begins.
    /// Returns the run without its value, or `None` if rank 0 dropped its machine and begins no further run.
    ///
    /// A process that only serves runs `while machine.serve()?.is_some() {}`.
    ///
    /// # Errors
    ///
    /// The first [`Error`] of any rank ends the run on all ranks. This rank can take part in the next run,
    /// unless a rank was lost.
    pub fn serve(&mut self) -> Result<Option<Run<()>>, Error> {
        self.serve_with(SharedValues::default())
    }

    /// Takes part in a run as [`serve`](Machine::serve) does. `shared` are this process's own values. Rank 0
    /// must begin the run with the same number of [values](Machine::run_with), of the same types.
    ///
    /// # Errors
    ///
    /// Returns the same errors as [`serve`](Machine::serve).
    pub fn serve_with(&mut self, shared: SharedValues) -> Result<Option<Run<()>>, Error> {
        self.serve_through(None, self.settings.stack_size, shared)
    }

    /// Takes part in a run as [`serve_with`](Self::serve_with) does. Other threads start functions through
    /// the gate `input`. This rank's node runs in a thread with a stack of `stack` bytes, or in the calling
    /// thread.
    pub(super) fn serve_through(
        &mut self,
        input: Option<&InputGate>,
        stack: Option<usize>,
        shared: SharedValues,
    ) -> Result<Option<Run<()>>, Error> {
        self.check(|rank| rank > 0)?;
        let first = self.first.take(self.settings.all_nodes())?;
        let Kind::Ranks(ranks) = &mut self.kind else {
            let why = "`serve` needs a machine of ranks; other machines call `run`";
            return Err(Error::WrongRank(why.into()));
        };
        let (began, settings) = (Instant::now(), &self.settings);
        let answers = input.map(InputGate::desk);
        let decoding =
            Decoding { shared, nodes: settings.all_nodes() as u32, answers, ..Decoding::nothing() };
        let program = Program { first, input, decoding, began };
        let outcome = thread::on_stack(stack, program, |program| ranks.run(settings, program))?;
        Ok(outcome.map(|RunResult { by_node, .. }| {
            let (counters, elapsed) = (by_node.iter().sum(), began.elapsed());
            Run { value: (), counters, by_node, elapsed, cycles: None, records: None }
        }))
    }

    /// Checks that this thread may begin a run on this machine now. On a machine of ranks the rank must
    /// satisfy `is_right`.
    fn check(&self, is_right: impl FnOnce(usize) -> bool) -> Result<(), Error> {
        if inside_fiber() {
            return Err(Error::InsideFiber);
        }
        self.settings.check()?;
        if let Kind::Simulated(simulation, _) = &self.kind {
            simulation.check(self.settings.nodes)?;
        }
        let Kind::Ranks(ranks) = &self.kind else { return Ok(()) };
        ranks.check()?;
        match ranks.numbers() {
            (rank, _) if is_right(rank) => Ok(()),
            (0, _) => Err(Error::WrongRank("rank 0 cannot call `serve`; it calls `run`".into())),
            _ => Err(Error::WrongRank("only rank 0 calls `run`; this rank calls `serve`".into())),
        }
    }
}
