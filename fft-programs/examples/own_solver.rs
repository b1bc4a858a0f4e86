//! A solver of another crate, which a planner uses like the solvers of the library.
//!
//! The solver transforms short series by the definition, in one fiber.

use std::error::Error;
use std::fmt;
use std::marker::PhantomData;

use earth::{Block, Eu, Reply, threaded};
use earth_fft::dataflow::{Done, Phases};
use earth_fft::solver::{Draft, Pays, Program, Request, Runs, Solver, solver_methods};
use earth_fft::{Complex, Direction, Effort, PlanError, Planner, Precision, Problem, UntypedProblem, Why};

/// Solver that transforms series by the definition. It pays up to 8 points, and is measured up to 64.
#[derive(Debug)]
pub(crate) struct ByDefinition;

impl ByDefinition {
    fn plan<T: Precision>(&self, request: &Request<'_>) -> Result<Draft<T>, PlanError> {
        let points = request.series(self.name(), None)?;
        let factor = T::of(request.problem.factor());
        let program = Definition { points, direction: request.problem.to(), factor };
        Ok(Draft { program: Box::new(program), nodes: 1 })
    }
}

impl Solver for ByDefinition {
    fn name(&self) -> &'static str {
        "definition"
    }

    fn pays(&self, request: &Request<'_>) -> Pays {
        match request.series(self.name(), None) {
            Ok(1..=8) => Pays::Yes(Why::ShortSeries),
            _ => Pays::NotItsProblem,
        }
    }

    fn is_worth_measuring(&self, problem: &UntypedProblem, _: Effort) -> bool {
        matches!(problem.lengths(), [1..=64])
    }

    solver_methods!(plans);
}

/// Plan: the length, the direction, and the factor of the result.
#[derive(Debug)]
struct Definition<T> {
    points: usize,
    direction: Direction,
    factor: T,
}

impl<T: Precision> Program<T> for Definition<T> {
    fn runs(&self) -> Runs<'_, T> {
        let inverse = self.direction == Direction::Inverse;
        Runs::on_signal([1, self.points], self.factor, move |machine, signal| {
            machine.run(|out| Sums::<T>::call(signal, inverse, out))
        })
    }
}

impl<T> fmt::Display for Definition<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{0} sums of {0} products", self.points)
    }
}

/// Threaded function of the plan.
struct Sums<T>(PhantomData<fn(T)>);

#[threaded]
impl<T: Precision> Sums<T> {
    /// Adds all products for each point of the result.
    fn start(signal: Block<Complex<T>>, inverse: bool, out: Reply<Done<T>>, eu: &mut Eu<Self>) {
        let (begin, n) = (eu.now(), signal.cols());
        let turn = if inverse { 1.0 } else { -1.0 } * std::f64::consts::TAU / n as f64;
        let root = |at: usize| Complex::new(T::of((turn * at as f64).cos()), T::of((turn * at as f64).sin()));
        let point = |bin: usize| {
            let products = signal.row(0).iter().enumerate().map(|(at, value)| *value * root(at * bin % n));
            products.fold(Complex::new(T::zero(), T::zero()), |sum, product| sum + product)
        };
        let spectrum = Block::from_vec(1, n, (0..n).map(point).collect()).expect("n points in one row");
        let end = eu.now();
        eu.put(out, Done::new(spectrum, Phases::between([begin, begin, end, end])));
    }
}

fn main() -> Result<(), Box<dyn Error>> {
    let planner = Planner::new().with(ByDefinition);
    let problem = Problem::complex(&[12]);
    let plan = planner.plan::<f64>(&problem)?;
    println!("{plan}");
    let signal: Vec<_> = (0..12).map(|at| Complex::from(f64::from(at % 5))).collect();
    let (mut own, mut usual) = (signal.clone(), signal.clone());
    plan.process(&mut own)?;
    Planner::new().plan(&problem)?.process(&mut usual)?;
    assert!(own.iter().zip(&usual).all(|(own, usual)| (own - usual).norm() < 1e-12));

    // A planner tries it before the solvers of the library, and measures it with them.
    let auto = planner.clone().algorithm("auto");
    assert_eq!(auto.plan::<f32>(&Problem::complex(&[6]))?.algorithm(), "definition");
    let measured = auto.effort(Effort::Measure).plan::<f64>(&problem)?;
    assert!(measured.measured().iter().any(|timed| timed.what.starts_with("definition on ")));

    planner.plan(&problem.direction(Direction::Inverse))?.process(&mut own)?;
    assert!(own.iter().zip(&signal).all(|(own, signal)| (own - signal).norm() < 1e-12));
    Ok(())
}
