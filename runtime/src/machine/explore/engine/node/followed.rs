//! The actions of a node that repeats a recorded order. They keep no steps, so a recording may be long.

use super::{ExploredNode, NodeUnits, Operations};
use crate::machine::explore::channels::channels;
use crate::node::function::{Runnable, Token};
use crate::node::signature::signature;
use crate::probe::recorder::FiberRef;
use crate::vocabulary::error::Error;

impl ExploredNode {
    /// Takes a waiting token by its name.
    pub(in super::super) fn take_token(&mut self, maker: u32, number: u32) -> Option<Token> {
        let name = FiberRef::new(maker, number);
        let at = self.tokens.iter().position(|waiting| signature(&waiting.token.call) == name)?;
        Some(self.tokens.remove(at).token)
    }

    /// Runs a fiber or starts a function.
    pub(in super::super) fn run_followed(&mut self, next: Runnable) {
        let before = self.operations_sent();
        self.run_unit(next);
        let left = self.operations_sent() - before;
        if left > 0 {
            self.operations.push_back(Operations { sender: 0, left, taken: 0, ends: None });
        }
    }

    /// Adds a report of the execution unit to the operations on their way (DUAL). It has no effect here.
    pub(in super::super) fn report_followed(&mut self) {
        self.operations.push_back(Operations { sender: Operations::REPORT, left: 1, taken: 0, ends: None });
    }

    /// Applies up to `most` operations of the execution unit (DUAL). Returns how many there were.
    pub(in super::super) fn apply_followed(&mut self, most: u32) -> Result<u32, Box<Error>> {
        let NodeUnits::Dual(eu, su) = &mut self.units else { return Ok(0) };
        let mut applied = 0;
        while applied < most
            && let Some(operations) = self.operations.front_mut()
        {
            applied += 1;
            operations.left -= 1;
            let is_report = operations.sender == Operations::REPORT;
            if operations.left == 0 {
                self.operations.pop_front();
            }
            if !is_report && !su.apply_next()? {
                eu.flush_all();
                su.apply_next()?;
            }
        }
        Ok(applied)
    }

    /// Takes fibers, functions and tokens out of the units.
    pub(in super::super) fn settle_followed(&mut self) {
        self.exchange();
        channels(self.su()).sent.clear();
        self.take_work(None);
    }
}
