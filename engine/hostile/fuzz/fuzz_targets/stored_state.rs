#![no_main]

burrow_fuzz::target!("stored_state");
