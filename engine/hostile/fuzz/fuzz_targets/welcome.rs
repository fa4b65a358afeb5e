#![no_main]

burrow_fuzz::target!("welcome");
