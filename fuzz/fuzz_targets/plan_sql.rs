#![no_main]

#[path = "../properties/plan_sql.rs"]
mod plan_sql;

libfuzzer_sys::fuzz_target!(|text: &str| plan_sql::check(text));
