//! An answer for people.
use super::table::Table;
impl Table {
    /// The answer as aligned columns.
    pub fn to_text(&self, intervals: bool) -> String { let _ = intervals; String::new() }
    /// The answer as a Markdown table.
    pub fn to_markdown(&self, intervals: bool) -> String { let _ = intervals; String::new() }
}
