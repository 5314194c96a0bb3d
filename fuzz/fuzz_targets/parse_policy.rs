#![no_main]

#[path = "../properties/parse_policy.rs"]
mod parse_policy;

libfuzzer_sys::fuzz_target!(|text: &str| parse_policy::check(text));
