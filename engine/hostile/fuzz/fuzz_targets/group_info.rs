#![no_main]

burrow_fuzz::target!("group_info");
