//! The command line.

use std::fmt;
use std::net::SocketAddr;
use std::str::FromStr;
use std::time::Duration;

use clap::Parser;
use earth::Config;

use crate::frame::MOST_PAYLOAD;

/// A server.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Engine {
    /// The runtime.
    Earth(Config),
    /// tokio, with a worker for each node of `--nodes`.
    Tokio,
}

impl FromStr for Engine {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        match text {
            "tokio" if cfg!(feature = "tokio") => Ok(Engine::Tokio),
            "tokio" => Err("this program was built without tokio; build it with --features tokio".into()),
            _ => text.parse().map(Engine::Earth).map_err(|_| "the servers are spn, dual and tokio".into()),
        }
    }
}

impl fmt::Display for Engine {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Engine::Earth(config) => config.fmt(f),
            Engine::Tokio => f.pad("tokio"),
        }
    }
}

/// Starts an echo server in another process, loads it with requests, checks all answers, and prints the
/// times.
#[derive(Clone, Debug, Parser)]
#[command(name = "tcp-echo", max_term_width = 110)]
pub struct Arguments {
    /// Servers to measure in turn: spn, dual, tokio.
    #[arg(long, default_value = "spn", value_delimiter = ',', value_name = "SERVER")]
    pub config: Vec<Engine>,

    /// Nodes of the runtime, or workers of tokio.
    #[arg(long, default_value_t = 2, value_parser = at_least_one::<usize>)]
    pub nodes: usize,

    /// Connections. Reduced to the number that the limits of open files allow.
    #[arg(long, default_value_t = 10_000, value_parser = at_least_one::<usize>)]
    pub connections: usize,

    /// Requests under way at a time in the closed loop. Default: one for each connection.
    #[arg(long, value_parser = at_least_one::<usize>)]
    pub active: Option<usize>,

    /// Requests per second in the open loop. Without it, only the closed loop is measured.
    #[arg(long, value_parser = at_least_one::<u32>)]
    pub rate: Option<u32>,

    /// The most requests of a measurement.
    #[arg(long, default_value_t = 1_000_000, value_parser = at_least_one::<u64>)]
    pub requests: u64,

    /// Time in which the requests of a measurement are sent.
    #[arg(long, default_value = "3", value_parser = seconds)]
    pub seconds: Duration,

    /// Time after which missing answers are an error.
    #[arg(long, default_value = "10", value_name = "SECONDS", value_parser = seconds)]
    pub patience: Duration,

    /// Bytes of a request, without its length.
    #[arg(long, default_value_t = 64, value_parser = clap::value_parser!(u16).range(1..=MOST_PAYLOAD as i64))]
    pub payload: u16,

    /// How often each server is measured. The table has the medians.
    #[arg(long, default_value_t = 1, value_parser = at_least_one::<usize>)]
    pub rounds: usize,

    /// Port of the server. Default: a free one.
    #[arg(long, default_value_t = 0)]
    pub port: u16,

    /// Loads a server that runs already, at this address.
    #[arg(long, value_name = "ADDRESS", conflicts_with_all = ["serve", "port", "nodes"])]
    pub connect: Option<SocketAddr>,

    /// Only serves, by the first server of `--config`, until standard input ends or has a line. Accepts
    /// `--connections` at a time.
    #[arg(long, conflicts_with_all = ["active", "rate", "requests", "seconds", "patience", "payload", "rounds"])]
    pub serve: bool,
}

fn at_least_one<T: FromStr + PartialOrd + From<u8>>(text: &str) -> Result<T, String> {
    let number = text.parse().ok().filter(|number| *number >= T::from(1));
    number.ok_or_else(|| "it must be a whole number above 0".into())
}

fn seconds(text: &str) -> Result<Duration, String> {
    let seconds = text.parse().ok().and_then(|seconds| Duration::try_from_secs_f64(seconds).ok());
    let seconds = seconds.filter(|seconds| !seconds.is_zero() && *seconds <= Duration::from_hours(24));
    seconds.ok_or_else(|| "it must be a number of seconds above 0 and at most a day".into())
}
