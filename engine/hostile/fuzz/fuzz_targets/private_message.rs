#![no_main]

burrow_fuzz::target!("private_message");
