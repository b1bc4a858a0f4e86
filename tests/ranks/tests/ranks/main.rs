//! Machines whose ranks are processes of one computer, joined by Unix sockets. The tests run programs, and
//! check the outcome if a process is killed, is slow, runs another program or sends invalid messages.

mod channels;
mod waits;

use std::io::{BufRead as _, BufReader, Read as _, Write as _};
use std::os::unix::net::UnixStream;
use std::path::Path;
use std::process::{Child, Command, Stdio};

use earth::{Error, Eu, Machine, Reply, threaded};
use earth_test_support::sockets::Sockets;
use tempfile::TempDir;

/// Settings of a machine, with a directory of its own.
struct Scene {
    directory: TempDir,
    ranks: usize,
    room: usize,
    config: &'static str,
    /// Number of nodes of each rank.
    nodes: usize,
    program: &'static str,
}

impl Scene {
    fn new(ranks: usize, room: usize, config: &'static str, program: &'static str) -> Self {
        let directory = tempfile::tempdir().expect("there is room for a directory");
        Scene { directory, ranks, room, config, nodes: 1, program }
    }

    fn with_nodes(self, nodes: usize) -> Self {
        Scene { nodes, ..self }
    }

    fn path(&self) -> &Path {
        self.directory.path()
    }

    /// Starts a process of the machine.
    fn start(&self, rank: usize) -> Child {
        let Scene { ranks, room, config, nodes, program, .. } = self;
        Command::new(env!("CARGO_BIN_EXE_rank"))
            .arg(self.path())
            .args([rank, *ranks, *room].map(|number| number.to_string()))
            .args([config, &*nodes.to_string(), program])
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .expect("the program is built")
    }

    /// Starts all processes, waits until all have ended with success, and returns their text on stderr.
    fn succeeds(&self) -> String {
        let all: Vec<_> = (0..self.ranks).map(|rank| self.start(rank)).collect();
        let mut all_said = String::new();
        for (rank, child) in all.into_iter().enumerate() {
            let (code, said) = ended(child);
            assert_eq!(code, Some(0), "rank {rank} of {}: {said}", self.name());
            all_said.push_str(&said);
        }
        all_said
    }

    fn name(&self) -> String {
        let Scene { ranks, room, config, nodes, program, .. } = self;
        format!("{program} on {ranks} ranks of {nodes} nodes, {config}, room for {room}")
    }
}

/// Waits for a process. Returns its exit code and its text on stderr.
fn ended(child: Child) -> (Option<i32>, String) {
    let output = child.wait_with_output().expect("it can be waited for");
    (output.status.code(), String::from_utf8_lossy(&output.stderr).into_owned())
}

fn succeeds(program: &'static str, ranks: impl IntoIterator<Item = usize>) {
    for ranks in ranks {
        for (config, room) in [("spn", 1), ("dual", 1000)] {
            assert_eq!(Scene::new(ranks, room, config, program).succeeds(), "", "{program}");
        }
    }
}

#[test]
fn collectives_run_on_processes() {
    succeeds("collectives", 1..=4);
}

#[test]
fn the_examples_run_on_processes() {
    for ranks in [1, 3] {
        for (config, room) in [("spn", 1), ("dual", 1000)] {
            // Rank 0 prints the name of each program.
            let said = Scene::new(ranks, room, config, "examples").succeeds();
            assert!(said.lines().count() >= 10 && !said.contains("panicked"), "{said}");
        }
    }
}

#[test]
fn a_program_with_input_runs_on_processes() {
    for config in ["spn", "dual"] {
        assert_eq!(Scene::new(2, 1000, config, "input").succeeds(), "echo\n");
    }
}

#[test]
fn a_panic_ends_the_run_of_every_rank_and_no_later_run() {
    for (config, room) in [("spn", 1), ("dual", 1000)] {
        let text = Scene::new(3, room, config, "panics").succeeds();
        assert_eq!(text.matches("a fiber panics on purpose").count(), 3, "{text}");
    }
}

#[test]
fn rounds_of_all_kinds_of_traffic_run_on_processes() {
    succeeds("soak", 2..=3);
    for config in ["spn", "dual"] {
        assert_eq!(Scene::new(2, 1000, config, "soak").with_nodes(2).succeeds(), "");
    }
}

#[test]
fn every_fft_program_runs_on_processes() {
    succeeds("transforms", [1, 2]);
}

#[test]
fn distributed_arrays_are_transformed_on_processes() {
    succeeds("distributed", [2, 3]);
}

#[test]
fn overlapping_transforms_run_on_processes() {
    succeeds("overlap", [2, 3]);
}

#[test]
fn blocks_of_megabytes_go_from_process_to_process() {
    succeeds("blocks", 2..=3);
}

#[test]
fn a_killed_rank_ends_the_run_of_the_others_by_its_number() {
    let programs = [("spn", "endless"), ("spn", "endless-transforms"), ("dual", "endless-transforms")];
    for ((config, program), killed) in
        programs.into_iter().flat_map(|program| (0..3).map(move |killed| (program, killed)))
    {
        let scene = Scene::new(3, 1000, config, program);
        let mut all: Vec<_> = (0..3).map(|rank| scene.start(rank)).collect();
        // The first run has begun when rank 0 has printed two lines.
        let said = all[0].stdout.take().expect("it is piped");
        let mut lines = BufReader::new(said).lines();
        (0..2).for_each(|_| assert_eq!(lines.next().expect("it says more").expect("it is text"), "round"));
        let said = std::thread::spawn(move || lines.count());
        all[killed].kill().expect("it is there");
        for (rank, child) in all.into_iter().enumerate() {
            let (code, text) = ended(child);
            if rank == killed {
                assert_eq!(code, None, "it was ended by a signal");
            } else {
                assert_eq!(code, Some(1), "rank {rank}: {text}");
                assert!(text.contains(&format!("rank {killed} is lost")), "rank {rank}: {text}");
            }
        }
        said.join().expect("it does not panic");
    }
}

/// A function that no other program has.
struct Own;

#[threaded]
impl Own {
    fn start(out: Reply<u64>, eu: &mut Eu<Self>) {
        eu.put(out, 1);
    }
}

#[test]
fn a_process_of_another_program_takes_part_in_no_run() {
    let scene = Scene::new(2, 1000, "spn", "endless");
    let other = scene.start(1);
    let sockets = Sockets::join(scene.path(), 0, 2, 1000).expect("the sockets are there");
    let error = Machine::ranks(sockets).run(Own::call).map(|run| run.value).unwrap_err();
    let Error::OtherProgram { rank: 1, why } = &error else { panic!("{error}") };
    assert!(why.starts_with("its function fingerprint is"), "{why}");
    let (code, text) = ended(other);
    assert_eq!(code, Some(1));
    assert!(text.contains("cannot take part in the run: its function fingerprint is"), "{text}");
}

/// Joins a machine as rank 1 of two, without the library, and sends these bytes.
fn talk(scene: &Scene, bytes: &[u8]) -> UnixStream {
    let mut socket = loop {
        match UnixStream::connect(scene.path().join("0")) {
            Ok(socket) => break socket,
            Err(_) => std::thread::yield_now(),
        }
    };
    socket.write_all(&1_u64.to_le_bytes()).expect("rank 0 reads");
    socket.write_all(bytes).expect("rank 0 reads");
    socket
}

#[test]
fn nonsense_from_a_process_ends_the_run_by_its_rank() {
    let message = |bytes: &[u8]| [&(bytes.len() as u64).to_le_bytes(), bytes].concat();
    let cases = [
        (message(&[]), "node 0 could not decode the bytes of an event from node 1"),
        (message(&[255, 99]), "node 0 could not decode the bytes of an event from node 1"),
        (message(&[255, 0, 1, 2, 3]), "node 0 could not decode the bytes of an event from node 1"),
        (vec![255; 64], "rank 1 is lost: it announced 4294967295 blocks"),
    ];
    for (bytes, told) in cases {
        let scene = Scene::new(2, 1000, "spn", "collectives");
        let rank_0 = scene.start(0);
        let socket = talk(&scene, &bytes);
        let (code, text) = ended(rank_0);
        assert_eq!(code, Some(1), "{text}");
        assert!(text.contains(told), "{bytes:?}: {text}");
        drop(socket);
    }
}

#[test]
fn a_process_that_ends_before_it_greets_is_lost() {
    let scene = Scene::new(2, 1000, "dual", "collectives");
    let rank_0 = scene.start(0);
    let mut socket = talk(&scene, &[]);
    // The rank waits for a greeting while the peer exists.
    socket.read_exact(&mut [0; 8]).expect("rank 0 greets");
    drop(socket);
    let (code, text) = ended(rank_0);
    assert_eq!((code, text.contains("rank 1 is lost: ")), (Some(1), true), "{text}");
}
