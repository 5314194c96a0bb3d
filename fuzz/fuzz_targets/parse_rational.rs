#![no_main]

#[path = "../properties/parse_rational.rs"]
mod parse_rational;

libfuzzer_sys::fuzz_target!(|text: &str| parse_rational::check(text));
