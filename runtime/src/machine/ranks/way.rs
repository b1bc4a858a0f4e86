//! The way between ranks: events, which are bytes already, become letters.

use earth_signal::Sent;

use crate::node::function::{Event, Token};
use crate::ranks::Post;
use crate::transport::Transport;

/// The transport of a node that is a process. The post is the machine's between runs.
#[derive(Default)]
pub(super) struct RankWay {
    post: Option<Box<Post<Token>>>,
}

impl Transport<Event, Token> for RankWay {
    fn send(&mut self, to: u32, event: Event, _now: &mut u64) -> Sent {
        let Event::Bytes { bytes, .. } = event else { unreachable!("what leaves a rank was packed") };
        self.post.as_mut().map_or(Sent::Queued, |post| post.work(to as usize, bytes))
    }

    fn held_back(&self) -> usize {
        self.post.as_ref().map_or(0, |post| post.held_back())
    }

    fn flush(&mut self) -> usize {
        let Some(post) = &mut self.post else { return 0 };
        post.send_held_back();
        post.held_back()
    }

    fn steal(&mut self) -> Option<Token> {
        self.post.as_mut()?.given.pop_front()
    }

    fn can_steal(&self) -> bool {
        self.post.as_ref().is_some_and(|post| !post.given.is_empty())
    }

    /// The machine looks at what is shared after each turn.
    fn shares(&mut self) {}

    fn post(&mut self) -> Option<&mut Option<Box<Post<Token>>>> {
        Some(&mut self.post)
    }
}
