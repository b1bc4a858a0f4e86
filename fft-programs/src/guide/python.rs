#![doc = include_str!("python.md")]
