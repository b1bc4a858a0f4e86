//! Columns of the rows: first the columns that identify a run, then its results.

use earth::{Counters, Run};

use super::experiment::{Choice, Chosen, Kind};
use super::plan::{Group, Turn};

/// Columns that identify a run, each with its meaning.
const IDENTITY: [(&str, &str); 13] = [
    ("program", "name of the program"),
    ("sizes", "its sizes, such as `rows=320 tile=32`"),
    ("machine", "`threads`, `simulated` or `stepper`"),
    ("profile", "name of a simulated machine's profile"),
    ("network", "kind of its network"),
    ("costs", "fingerprint of the profile, so that a changed profile is another machine"),
    ("nodes", "number of nodes"),
    ("config", "`spn` or `dual`"),
    ("policy", "name of the policy in the experiment"),
    ("policy_text", "the policy as `--policy` takes it; empty for a policy from outside"),
    ("seed", "seed of a simulated machine or a stepper"),
    ("round", "round of a run on threads, from 0"),
    ("again", "1 for the second run of the baseline in a round, else 0"),
];

/// Columns of results before the counters, each with its meaning.
const RESULTS: [(&str, &str); 4] = [
    ("result", "the checked result in words"),
    ("seconds", "time of the run; virtual on a simulated machine, empty on a stepper"),
    ("cycles", "the same time in cycles of a simulated machine"),
    ("plain_seconds", "time of the plain version, beside runs on threads"),
];

/// Columns that identify a run and its results, each with its meaning. The columns of
/// [`Counters`](earth::Counters) follow, by the names of its serialized form.
pub const COLUMNS: &[(&str, &str)] = &{
    let mut all = [("", ""); IDENTITY.len() + RESULTS.len()];
    let mut at = 0;
    while at < all.len() {
        all[at] = if at < IDENTITY.len() { IDENTITY[at] } else { RESULTS[at - IDENTITY.len()] };
        at += 1;
    }
    all
};

/// Columns of a run that identify it.
pub(super) type Identity = Vec<String>;

/// Number of columns that identify a run.
pub(super) const IDENTIFYING: usize = IDENTITY.len();

/// Column of the time.
pub(super) const SECONDS: usize = IDENTITY.len() + 1;

/// Returns the names of counters, or their values.
fn counted(counters: &Counters, names: bool) -> Vec<String> {
    let mut writer = csv::WriterBuilder::new().has_headers(names).from_writer(Vec::new());
    let written = writer.serialize(counters).is_ok();
    let line = writer.into_inner().unwrap_or_default();
    let line = String::from_utf8_lossy(&line);
    debug_assert!(written, "counters are a row of numbers");
    line.lines().next().unwrap_or_default().split(',').map(str::to_owned).collect()
}

/// Returns the names of all columns.
pub(super) fn header() -> Vec<String> {
    let own = COLUMNS.iter().map(|(name, _)| (*name).to_owned());
    own.chain(counted(&Counters::default(), true)).collect()
}

/// Returns the columns that identify a run.
pub(super) fn identity(group: &Group<'_, '_>, choice: &Choice<'_>, turn: &Turn) -> Identity {
    let Group { case, site, .. } = group;
    let sizes = case.program.sizes().iter().zip(&case.sizes);
    let sizes: Vec<_> = sizes.map(|(size, value)| format!("{}={value}", size.name)).collect();
    let text =
        |of: fn(&earth::simulated::Profile) -> String| site.profile.as_deref().map_or(String::new(), of);
    let policy = match &choice.policy {
        Chosen::Data(policy) => policy.to_string(),
        Chosen::Own(_) => String::new(),
    };
    let network = |profile: &earth::simulated::Profile| {
        serde_json::to_value(profile.network.kind)
            .map_or(String::new(), |kind| kind.as_str().unwrap_or_default().to_owned())
    };
    vec![
        case.program.name().to_owned(),
        sizes.join(" "),
        site.kind.name().to_owned(),
        text(|profile| profile.name.clone()),
        site.profile.as_deref().map_or(String::new(), network),
        text(|profile| format!("{:016x}", fingerprint(&profile.to_toml()))),
        site.nodes.to_string(),
        site.config.name().to_owned(),
        choice.name.clone(),
        policy,
        turn.seed.to_string(),
        turn.round.to_string(),
        u8::from(turn.again).to_string(),
    ]
}

/// Returns all columns of a run.
pub(super) fn columns(identity: Identity, kind: Kind, run: &Run<String>, plain: f64) -> Vec<String> {
    let seconds = (kind != Kind::Stepper).then(|| run.elapsed.as_secs_f64().to_string());
    let mut row = identity;
    row.push(run.value.replace(['\n', '\r'], " "));
    row.push(seconds.unwrap_or_default());
    row.push(
        run.cycles.filter(|_| kind == Kind::Simulated).map_or(String::new(), |cycles| cycles.to_string()),
    );
    row.push(if kind == Kind::Threads { plain.to_string() } else { String::new() });
    row.extend(counted(&run.counters, false));
    row
}

/// Hashes a text by FNV-1a, whose values never change.
pub(crate) fn fingerprint(text: &str) -> u64 {
    text.bytes()
        .fold(0xcbf2_9ce4_8422_2325, |hash, byte| (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_columns_are_those_of_the_file_s_schema() {
        let expected = "program,sizes,machine,profile,network,costs,nodes,config,policy,policy_text,seed,round,again,\
                        result,seconds,cycles,plain_seconds,\
                        fibers,tokens,tokens_stolen,invokes,signals,block_moves,bytes_moved,events_sent,frames,frames_ended,\
                        frames_high,tokens_high,parked,parked_high,deferred_reads,eu_busy_ns,eu_idle_ns,su_busy_ns,su_idle_ns";
        assert_eq!(header().join(","), expected);
        assert_eq!(header()[SECONDS], "seconds");
    }

    #[test]
    fn fingerprints_are_those_of_fnv_1a() {
        assert_eq!([fingerprint(""), fingerprint("a")], [0xcbf2_9ce4_8422_2325, 0xaf63_dc4c_8601_ec8c]);
    }
}
