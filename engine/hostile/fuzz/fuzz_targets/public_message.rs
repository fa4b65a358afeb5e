#![no_main]

burrow_fuzz::target!("public_message");
