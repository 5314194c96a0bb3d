//! Tallies fed by streams of the engine.

use datafusion::execution::SendableRecordBatchStream;

use super::{Layout, Totals};
use crate::QueryError;

/// Totals of several layouts over the same rows.
///
/// # Errors
/// As for [`super::Tally`], or if the engine fails.
pub async fn tally_streams(
    _layouts: &[Layout],
    _hash_key: [u64; 2],
    _streams: Vec<SendableRecordBatchStream>,
    _progress: &(dyn Fn(u64) + Sync),
) -> Result<Vec<Totals>, QueryError> {
    Err(QueryError::engine("reading rows"))
}
