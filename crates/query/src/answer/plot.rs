//! Bars.
use super::table::Table;
/// How bars are drawn.
#[derive(Debug, Clone, Default)]
pub struct BarOptions {
    /// What stands above the picture.
    pub title: Option<String>,
}
impl Table {
    /// The answer as a picture.
    pub fn bars_svg(&self, options: &BarOptions) -> String { let _ = options; String::new() }
    /// The answer as bars for a terminal of this width; plain letters if `ascii`.
    pub fn bars_text(&self, width: usize, ascii: bool) -> String { let _ = (width, ascii); String::new() }
}
