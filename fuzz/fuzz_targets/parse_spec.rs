#![no_main]

#[path = "../properties/parse_spec.rs"]
mod parse_spec;

libfuzzer_sys::fuzz_target!(|text: &str| parse_spec::check(text));
