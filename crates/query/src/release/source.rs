//! Where exact totals come from.

use datafusion::logical_expr::LogicalPlan;
use throng_mechanism::MechanismError;

use crate::tally::{Layout, Totals};

/// Totals that a mechanism wants of some rows.
#[derive(Debug, Clone)]
pub struct Asked {
    /// The question it is for, as an index into those of the design.
    pub question: usize,
    /// The rows: those of the question, or fewer columns of them.
    pub rows: LogicalPlan,
    /// What is totalled.
    pub layout: Layout,
    /// Decides which of a unit's rows survive; fresh, and secret.
    pub hash_key: [u64; 2],
}

/// The private data as the mechanism sees it: exact totals on demand.
///
/// It is asked once, or twice if the ranges of columns have to be found first; both times for all
/// questions at once.
pub trait Source {
    /// The totals of each, in order.
    ///
    /// # Errors
    /// If the engine fails; never for a reason that lies in rows, and with no text that does.
    fn totals(&self, asked: &[Asked]) -> Result<Vec<Totals>, MechanismError>;
}
