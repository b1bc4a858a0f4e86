//! The program: client and server in two processes, their limits and their errors.

use std::io::{BufRead as _, BufReader, Read as _, Write as _};
use std::net::{SocketAddr, TcpListener, TcpStream};
use std::process::{Command, Output, Stdio};

use crate::{connect, request};

const PROGRAM: &str = env!("CARGO_BIN_EXE_tcp-echo");

fn run(arguments: &str) -> Output {
    Command::new(PROGRAM).args(arguments.split_whitespace()).output().expect("the program starts")
}

/// Runs the program with a limit of open files.
fn run_with_files(files: usize, arguments: &str) -> Command {
    let mut shell = Command::new("sh");
    shell.args(["-c", &format!("ulimit -n {files} && exec \"$0\" {arguments}"), PROGRAM]);
    shell
}

fn text(bytes: &[u8]) -> &str {
    std::str::from_utf8(bytes).expect("it writes UTF-8")
}

/// Returns the cells of the table's rows.
fn rows(output: &Output) -> Vec<Vec<String>> {
    assert!(output.status.success(), "{}", text(&output.stderr));
    let cells = |line: &str| line.trim_matches('|').split('|').map(|cell| cell.trim().to_owned()).collect();
    text(&output.stdout).lines().filter(|line| line.starts_with('|')).skip(2).map(cells).collect()
}

#[test]
fn all_servers_are_measured_in_turn() {
    let servers: &[&str] = if cfg!(feature = "tokio") { &["SPN", "DUAL", "tokio"] } else { &["SPN", "DUAL"] };
    let list = servers.join(",");
    let done = run(&format!("--config {list} --connections 10 --requests 200 --rate 2000 --rounds 2"));
    let rows = rows(&done);
    let loads = ["closed, 10 under way", "open, 2000 a second"];
    assert_eq!(rows.len(), loads.len() * servers.len());
    for (row, (load, server)) in
        rows.iter().zip(loads.iter().flat_map(|l| servers.iter().map(move |s| (l, s))))
    {
        assert_eq!(row[..3], [load, "10", server], "{row:?}");
        let figures: Vec<f64> = row[3..].iter().map(|cell| cell.parse().expect("a number")).collect();
        assert!(figures[0] > 0.0 && figures[1] > 0.0 && figures[1..5].is_sorted(), "{row:?}");
    }
}

#[test]
fn wrong_arguments_have_code_2() {
    for (arguments, of) in [
        ("--config rayon", "the servers are"),
        ("--connections 0", "above 0"),
        ("--payload 4097", "4096"),
        ("--seconds 0", "above 0"),
        ("--serve --rate 5", "--rate"),
        ("--speed", "--speed"),
    ] {
        let done = run(arguments);
        assert_eq!(done.status.code(), Some(2), "{arguments}");
        assert!(done.stdout.is_empty() && text(&done.stderr).contains(of), "{}", text(&done.stderr));
    }
}

#[test]
fn a_port_in_use_is_reported() {
    let other = TcpListener::bind("127.0.0.1:0").expect("a port is free");
    let port = other.local_addr().expect("it listens").port();
    let done = run(&format!("--connections 1 --port {port}"));
    let errors = text(&done.stderr);
    assert_eq!(done.status.code(), Some(1), "{errors}");
    assert!(errors.contains(&format!("cannot listen on 127.0.0.1:{port}")), "{errors}");
    assert!(errors.contains("the server ended before it listened"), "{errors}");
}

/// Loads a server that `serve` plays on its first connection. Returns the program's message.
fn against(serve: impl FnOnce(TcpStream) + Send, arguments: &str) -> String {
    let listener = TcpListener::bind("127.0.0.1:0").expect("a port is free");
    let address = listener.local_addr().expect("it listens");
    std::thread::scope(|scope| {
        scope.spawn(move || serve(listener.accept().expect("the client connects").0));
        let done = run(&format!("--connect {address} --connections 1 --payload 3 {arguments}"));
        assert_eq!(done.status.code(), Some(1));
        text(&done.stderr).to_owned()
    })
}

#[test]
fn bad_servers_end_the_client() {
    let closes = |mut peer: TcpStream| {
        peer.read_exact(&mut [0; 7]).expect("a request comes");
    };
    let message = against(closes, "");
    assert!(message.contains("connection 0 was lost after 0 answers"), "{message}");

    let lies = |mut peer: TcpStream| {
        peer.read_exact(&mut [0; 7]).expect("a request comes");
        peer.write_all(&[11, 0, 0, 0, 1, 2, 3, 4, 5, 6, 7, 8, 0, 0, 0]).expect("the client reads");
        // To the client's end.
        let _ = peer.read(&mut [0]);
    };
    let message = against(lies, "");
    assert!(message.contains("answer 0 of connection 0 is wrong: it differs from its request"), "{message}");

    let is_silent = |mut peer: TcpStream| {
        let _ = peer.read_to_end(&mut Vec::new());
    };
    let message = against(is_silent, "--patience 0.1");
    assert!(message.contains("1 answers are missing, and none came for 0.1 s"), "{message}");
}

#[test]
fn limits_of_open_files_reduce_the_connections() {
    let done = run_with_files(40, "--connections 10 --requests 20").output().expect("it starts");
    assert_eq!(rows(&done)[0][1], "8");
    let errors = text(&done.stderr);
    assert!(errors.contains("a limit of 40 open files allows 8 connections"), "{errors}");
    assert!(errors.contains("the client can have 8 connections instead of 10"), "{errors}");

    let done = run_with_files(30, "").output().expect("it starts");
    assert_eq!(done.status.code(), Some(1));
    assert!(text(&done.stderr).contains("the limit of open files of the client allows no connection"));
}

#[test]
fn a_server_without_files_accepts_when_others_close() {
    let mut command = run_with_files(48, "--serve --connections 1000");
    let mut server = command.stdin(Stdio::piped()).stdout(Stdio::piped()).spawn().expect("it starts");
    let mut lines = BufReader::new(server.stdout.take().expect("it is piped")).lines();
    let line = lines.next().expect("a line comes").expect("it is text");
    let address: SocketAddr =
        line.split_whitespace().nth(2).expect("three words").parse().expect("an address");
    // More connections than files, all before the first request.
    let mut peers: Vec<TcpStream> = (0..60).map(|_| connect(address)).collect();
    for peer in &mut peers {
        peer.write_all(&request(b"waits in turn")).expect("the system keeps it");
    }
    // Each ten are answered only if the ten before have made room.
    while !peers.is_empty() {
        for mut peer in peers.drain(..10) {
            crate::expect_answer(&mut peer, b"waits in turn");
        }
    }
    drop(server.stdin.take());
    let served = lines.next().expect("a line comes").expect("it is text");
    assert!(server.wait().expect("it ends").success());
    assert!(served.starts_with("accepted 60, requests 60,"), "{served}");
    assert!(!served.ends_with("exhausted 0"), "{served}");
}
