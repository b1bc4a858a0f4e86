//! The peer: the same server on tokio, with a task for each connection.

use std::io;
use std::net::TcpListener;

use tokio::io::AsyncWriteExt as _;
use tokio::net::TcpStream;
use tokio::runtime::{Builder, Runtime};

use crate::frame::{self, Incoming};

/// Bytes of a read, as in the server on the runtime.
const READ: usize = 4 << 10;

/// Serves connections in threads of its own, until the result is dropped.
///
/// # Errors
///
/// If the threads cannot be started, or the listener cannot be used.
pub fn serve(listener: TcpListener, workers: usize) -> io::Result<Runtime> {
    let runtime = Builder::new_multi_thread().worker_threads(workers).enable_io().build()?;
    listener.set_nonblocking(true)?;
    let listener = {
        let _entered = runtime.enter();
        tokio::net::TcpListener::from_std(listener)?
    };
    runtime.spawn(async move {
        loop {
            match listener.accept().await {
                Ok((stream, _)) => drop(tokio::spawn(echo(stream))),
                Err(error) => return eprintln!("tcp-echo: accept failed: {error}"),
            }
        }
    });
    Ok(runtime)
}

/// Answers the requests of a connection one after another, until it ends or is reset.
async fn echo(mut stream: TcpStream) {
    let _ = stream.set_nodelay(true);
    let mut incoming = Incoming::of_requests();
    loop {
        if stream.readable().await.is_err() || !reads(&stream, &mut incoming) {
            return;
        }
        while let Ok(Some(payload)) = incoming.take() {
            let mut answer = frame::unsealed(payload);
            frame::seal(&mut answer);
            if stream.write_all(&answer).await.is_err() {
                return;
            }
        }
        if incoming.is_complete().is_err() {
            return;
        }
    }
}

/// Reads bytes, if there are any. Returns whether the connection goes on. The buffer is on the stack, and
/// takes no memory of a waiting task.
fn reads(stream: &TcpStream, incoming: &mut Incoming) -> bool {
    let mut buffer = [0; READ];
    match stream.try_read(&mut buffer) {
        Ok(0) => false,
        Ok(bytes) => {
            incoming.push(&buffer[..bytes]);
            true
        }
        Err(error) => error.kind() == io::ErrorKind::WouldBlock,
    }
}
