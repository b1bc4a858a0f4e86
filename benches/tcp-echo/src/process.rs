//! A server in a process of its own.
//!
//! The server's first line on standard output names its address and its limit of connections. It ends when
//! its standard input ends, so it does not outlive the process that started it.

use std::fmt::Display;
use std::io::{self, Read as _, Write as _};
use std::net::{SocketAddr, TcpListener};
use std::os::fd::AsFd as _;
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use rustix::event::{PollFd, PollFlags, Timespec, poll};

use crate::arguments::{Arguments, Engine};
use crate::{files, server, service};

/// Serves in this process, as the arguments say.
///
/// # Errors
///
/// If the address is in use, or the server failed: a sentence.
pub fn serve(arguments: &Arguments) -> Result<(), String> {
    let limit = files::raise();
    let address = SocketAddr::from(([127, 0, 0, 1], arguments.port));
    let cannot = |error: io::Error| format!("cannot listen on {address}: {error}");
    let listener = TcpListener::bind(address).map_err(cannot)?;
    let mut output = io::stdout();
    // The reader may be gone. Then standard input is at its end.
    let _ = writeln!(output, "listening on {} ; {}", listener.local_addr().map_err(cannot)?, allowed(limit));
    let _ = output.flush();
    match arguments.config[0] {
        Engine::Earth(config) => {
            let machine = (service::machine(arguments.nodes, config), arguments.nodes);
            let (_, served) = server::serve(&listener, machine, arguments.connections, io::stdin());
            let _ = writeln!(output, "{}", served.map_err(|error| error.to_string())?);
        }
        #[cfg(feature = "tokio")]
        Engine::Tokio => {
            let runtime = crate::tokio_server::serve(listener, arguments.nodes).map_err(cannot)?;
            // Ends with the input, or with a line.
            let _ = io::stdin().read(&mut [0]);
            runtime.shutdown_background();
        }
        #[cfg(not(feature = "tokio"))]
        Engine::Tokio => unreachable!("the arguments refuse it"),
    }
    Ok(())
}

/// Says how many connections a limit of open files allows.
pub fn allowed(limit: usize) -> impl Display {
    format!("a limit of {limit} open files allows {} connections", files::connections(limit))
}

/// A server that another process runs. Its drop kills it.
#[derive(Debug)]
pub struct Server {
    child: Child,
    /// The address that it listens on.
    pub address: SocketAddr,
    /// The most connections that its limit of open files allows.
    pub allowed: usize,
}

/// Resources that a process has used.
#[derive(Clone, Copy, Debug, Default)]
pub struct Used {
    /// Processor time.
    pub time: Duration,
    /// The most resident memory at a time, in bytes.
    pub memory: u64,
}

impl Server {
    /// Starts this program as a server for `connections` connections.
    ///
    /// # Errors
    ///
    /// If it does not listen within the arguments' patience: a sentence.
    pub fn start(engine: Engine, arguments: &Arguments, connections: usize) -> Result<Self, String> {
        let program =
            std::env::current_exe().map_err(|error| format!("this program has no path: {error}"))?;
        let mut command = Command::new(program);
        command.args(["--serve", "--config", &engine.to_string()]);
        for (option, value) in
            [("--nodes", arguments.nodes), ("--connections", connections), ("--port", arguments.port.into())]
        {
            command.args([option, &value.to_string()]);
        }
        let child = command.stdin(Stdio::piped()).stdout(Stdio::piped()).spawn();
        let child = child.map_err(|error| format!("the server cannot be started: {error}"))?;
        let mut server = Server { child, address: SocketAddr::from(([0; 4], 0)), allowed: 0 };
        let line = server.read(arguments.patience, |text| text.ends_with('\n'))?;
        let words: Vec<_> = line.split_whitespace().collect();
        let [_, _, address, .., allowed, _] = words[..] else {
            return Err(format!("the server ended before it listened ({})", server.end(arguments.patience)?));
        };
        let unknown = || format!("the server printed {line:?}");
        server.address = address.parse().map_err(|_| unknown())?;
        server.allowed = allowed.parse().map_err(|_| unknown())?;
        Ok(server)
    }

    /// Reads standard output until its end, or until `is_enough` holds for the text.
    fn read(&mut self, patience: Duration, is_enough: impl Fn(&str) -> bool) -> Result<String, String> {
        let Some(output) = &mut self.child.stdout else { return Ok(String::new()) };
        let (mut text, deadline) = (String::new(), Instant::now() + patience);
        let mut bytes = [0; 256];
        while !is_enough(&text) {
            let left = deadline.saturating_duration_since(Instant::now());
            let left = Timespec::try_from(left).ok();
            match poll(&mut [PollFd::from_borrowed_fd(output.as_fd(), PollFlags::IN)], left.as_ref()) {
                Ok(0) => return Err(format!("the server did nothing for {} s", patience.as_secs_f64())),
                Ok(_) => {}
                Err(error) if error == rustix::io::Errno::INTR => continue,
                Err(error) => return Err(format!("poll failed: {error}")),
            }
            match output.read(&mut bytes) {
                Ok(0) => break,
                Ok(count) => text.push_str(&String::from_utf8_lossy(&bytes[..count])),
                Err(error) => return Err(format!("the server's output cannot be read: {error}")),
            }
        }
        Ok(text)
    }

    /// Waits for the end of its output, and of the process. Returns its status.
    fn end(&mut self, patience: Duration) -> Result<std::process::ExitStatus, String> {
        drop(self.child.stdin.take());
        self.read(patience, |_| false)?;
        self.child.wait().map_err(|error| format!("the server cannot be waited for: {error}"))
    }

    /// Has the server end.
    ///
    /// # Errors
    ///
    /// If it failed, or does not end within `patience`: a sentence.
    pub fn stop(mut self, patience: Duration) -> Result<(), String> {
        let status = self.end(patience)?;
        if status.success() { Ok(()) } else { Err(format!("the server failed ({status})")) }
    }

    /// Returns the resources that it has used until now. A figure that the system does not report is 0.
    pub fn used(&self) -> Used {
        let file = |name| std::fs::read_to_string(format!("/proc/{}/{name}", self.child.id()));
        let status = file("status").unwrap_or_default();
        let peak = status.lines().find_map(|line| line.strip_prefix("VmHWM:"));
        let kibibytes = peak.and_then(|peak| peak.split_whitespace().next()?.parse().ok()).unwrap_or(0_u64);
        // The program's name ends with the last parenthesis. Times are in hundredths of a second.
        let stat = file("stat").unwrap_or_default();
        let fields = stat.rsplit(')').next().unwrap_or_default().split_whitespace();
        let ticks: u64 = fields.skip(11).take(2).filter_map(|ticks| ticks.parse::<u64>().ok()).sum();
        Used { time: Duration::from_millis(10 * ticks), memory: kibibytes << 10 }
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        // Both fail if it has ended.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}
