//! What `null` promises, and that each of the broken engines breaks its promise.

mod damage;
mod honest;
mod lies;
mod removal;
mod scene;
mod state;
