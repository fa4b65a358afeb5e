#![no_main]

burrow_fuzz::target!("key_package");
