//! Checks that every kind of plan describes itself, with points and for phantoms, and that no query of a plan
//! panics.

use earth::{Config, Machine};
use earth_fft::{Kind, Plan, PlanError, Planner, Problem};
use earth_papers::{Grouped, Groups};

use crate::nodes;

const ALGORITHMS: [&str; 12] = [
    "auto",
    "receiver",
    "receiver-shared",
    "sender",
    "grouped",
    "two-pass",
    "transpose",
    "ffte",
    "radix-2",
    "radix-2-local",
    "radix-4",
    "radix-8",
];

/// Calls every query of a plan, and returns its text.
fn asked<K: Kind>(plan: &Plan<f64, K>) -> String {
    let text = plan.to_string();
    assert!(text.starts_with(&plan.problem().to_string()), "{text}");
    assert!(format!("{plan:#}").starts_with(&text));
    assert!(format!("{plan:?}").starts_with("Plan {"));
    let counts = plan.counts();
    assert_eq!(counts, plan.counts());
    assert!(plan.needed() > 0 || plan.nodes().is_none(), "{text}");
    assert_eq!(plan.nodes().is_none(), plan.algorithm() == "auto", "{text}");
    assert!(plan.notes().is_empty() && plan.measured().is_empty() && plan.pruned() == 0);
    assert!(earth_papers::shares(plan).is_none() || plan.algorithm() == "grouped", "{text}");
    assert!(plan.forecast().is_none());
    let names = [plan.why().to_string(), plan.kernel().to_string(), plan.algorithm().to_string()];
    assert!(names.iter().all(|name| !name.is_empty()));
    assert_ne!(plan.block(), Some(0), "{text}");
    assert!(plan.is_in_place().is_none() || plan.nodes().is_some());
    text
}

fn both<K: Kind>(planner: &Planner, plan: impl Fn(&Planner) -> Result<Plan<f64, K>, PlanError>) -> usize {
    let Ok(with_points) = plan(planner) else { return 0 };
    let text = asked(&with_points);
    let phantom = match plan(&planner.clone().phantom()) {
        Ok(phantom) => phantom,
        // The program sends single points, which a phantom lacks.
        Err(error) => {
            assert!(error.to_string().contains("a phantom has none"), "{error}");
            return 1;
        }
    };
    let of_phantom = asked(&phantom);
    // Both run on the same nodes for the same reason. A plan for phantoms has no kernels.
    let nodes_do = |text: &str| text.lines().nth(1).unwrap().split(':').next().unwrap().to_owned();
    assert_eq!(nodes_do(&text), nodes_do(&of_phantom), "{text}");
    assert_eq!(phantom.counts(), with_points.counts());
    assert_eq!(phantom.block(), with_points.block());
    let refused = phantom.scratch_len();
    assert!(refused <= with_points.scratch_len(), "{of_phantom}");
    let nodes = phantom.nodes().unwrap_or(1);
    phantom.run_phantom_on(&mut Machine::stepper(1).nodes(nodes)).unwrap();
    1
}

/// All programs, on machines of either kind, of all kinds of problems that they take.
#[test]
fn plans_of_every_kind_describe_themselves() {
    let mut planned = 0;
    for algorithm in ALGORITHMS {
        for (config, count) in [(Config::Spn, 1), (Config::Spn, 2), (Config::Dual, 4)] {
            let planner = earth_papers::planner().algorithm(algorithm).config(config).nodes(nodes(count));
            for lengths in [&[1][..], &[16], &[60], &[64], &[4096], &[4, 4], &[6, 10], &[1, 7], &[4, 6, 8]] {
                planned += both(&planner, |planner| planner.plan(&Problem::complex(lengths)));
                planned += both(&planner, |planner| planner.plan(&Problem::complex(lengths).batch(3)));
                let there = Problem::real_to_complex(lengths);
                planned += both(&planner, |planner| planner.plan_real_to_complex(&there));
                planned += both(&planner, |planner| planner.plan_real_to_complex(&there.clone().padded()));
                let back = Problem::complex_to_real(lengths);
                planned += both(&planner, |planner| planner.plan_complex_to_real(&back));
                planned += both(&planner, |planner| planner.plan_complex_to_real(&back.clone().padded()));
            }
        }
    }
    let grouped = earth_papers::planner()
        .with(Grouped::new().groups(Groups { groups: Some(nodes(2)), ..Groups::default() }));
    planned += both(&grouped, |planner| planner.plan(&Problem::complex(&[6, 10])));
    assert!(planned > 300, "{planned}");
}
