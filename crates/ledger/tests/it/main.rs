//! What the ledger promises, put to the test: rules, races, crashes and damage.

mod common;
mod crashes;
mod damage;
mod hostile;
mod prices;
mod processes;
mod races;
mod rules;
mod tampering;
