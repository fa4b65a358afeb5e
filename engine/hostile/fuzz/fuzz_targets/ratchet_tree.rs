#![no_main]

burrow_fuzz::target!("ratchet_tree");
