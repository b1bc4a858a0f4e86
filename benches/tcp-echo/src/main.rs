//! The program `tcp-echo`: see the library.

#![forbid(unsafe_code)]

use std::process::ExitCode;

#[cfg(target_os = "linux")]
fn main() -> ExitCode {
    earth_tcp_echo::main()
}

#[cfg(not(target_os = "linux"))]
fn main() -> ExitCode {
    eprintln!("tcp-echo: it waits for sockets by epoll, which only Linux has");
    ExitCode::FAILURE
}
