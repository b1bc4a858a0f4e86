//! An echo server on TCP: a service on the runtime, with its load generator and a peer.
//!
//! ```text
//! cargo run --release -p earth-tcp-echo                                    # 10^4 connections, SPN
//! cargo run --release -p earth-tcp-echo --features tokio -- --config spn,dual,tokio --rounds 5
//! cargo run --release -p earth-tcp-echo -- --serve --port 7000             # the server alone
//! ```
//!
//! The server answers each request with its payload and a checksum. It has these parts:
//!
//! 1. The *poller* is the thread that opened the run. It waits for all sockets at once, and splits received
//!    bytes into requests ([`frame`]). It starts a threaded function for each request by the run's
//!    [`Input`](earth::input::Input) ([`server`]).
//! 2. The *function* computes the checksum and writes the answer to the [`connection`], in a fiber that
//!    never waits ([`service`]).
//! 3. The connection orders answers by the numbers of their requests. Bytes that a full socket
//!    refuses wait for the poller ([`outgoing`]).
//!
//! *Memory.* The poller stops reading a connection whose unanswered requests take [`server::UNANSWERED`]
//! bytes, and continues at half of that. A connection takes at most [`server::MOST_MEMORY`] bytes, and the
//! poller accepts a limited number of connections. The bound holds for any peer: one that does not read its
//! answers is no longer read from, and TCP then stops it.
//!
//! The [`client`] is one thread in another process. It checks each answer.

#![forbid(unsafe_code)]
#![cfg(target_os = "linux")]

pub mod arguments;
pub mod client;
pub mod compare;
pub mod connection;
pub mod files;
pub mod frame;
pub mod latencies;
pub mod outgoing;
pub mod poll;
pub mod process;
pub mod server;
pub mod service;
pub mod table;
#[cfg(feature = "tokio")]
pub mod tokio_server;

use std::process::ExitCode;

use clap::Parser as _;

/// Runs the program. Its exit code is 2 if the arguments are wrong, and 1 if a server or a client failed.
pub fn main() -> ExitCode {
    let arguments = arguments::Arguments::parse();
    let done = if arguments.serve { process::serve(&arguments) } else { compare::run(&arguments) };
    match done {
        Ok(()) => ExitCode::SUCCESS,
        Err(sentence) => {
            eprintln!("tcp-echo: {sentence}");
            ExitCode::FAILURE
        }
    }
}
