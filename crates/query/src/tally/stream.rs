//! Tallies fed by streams of the engine.

use datafusion::arrow::array::RecordBatch;
use datafusion::execution::SendableRecordBatchStream;
use futures::channel::mpsc;
use futures::stream::select_all;
use futures::{SinkExt, StreamExt};

use super::{Layout, Tally, Totals};
use crate::QueryError;

/// How many batches of a stream are made ahead.
const AHEAD: usize = 2;

/// Totals of several layouts over the same rows, all of them with these columns.
///
/// Each stream runs in a task of its own; counting happens here, one batch after the other. The
/// progress function is told the number of rows so far.
///
/// # Errors
/// As for [`Tally`], or if the engine fails.
pub async fn tally_streams(
    layouts: &[Layout],
    hash_key: [u64; 2],
    streams: Vec<SendableRecordBatchStream>,
    progress: &(dyn Fn(u64) + Sync),
) -> Result<Vec<Totals>, QueryError> {
    let layouts = layouts.iter().map(|layout| (layout.clone(), None)).collect::<Vec<_>>();
    tally_projected(&layouts, hash_key, streams, progress).await
}

/// The same where a layout may look at some columns only: those of its list, in that order.
///
/// # Errors
/// As for [`tally_streams`], or if there is no such column.
pub async fn tally_projected(
    layouts: &[(Layout, Option<Vec<usize>>)],
    hash_key: [u64; 2],
    streams: Vec<SendableRecordBatchStream>,
    progress: &(dyn Fn(u64) + Sync),
) -> Result<Vec<Totals>, QueryError> {
    let tallies = layouts.iter().map(|(layout, _)| Tally::new(layout, hash_key));
    let mut tallies = tallies.collect::<Result<Vec<_>, _>>()?;
    let (batches, makers): (Vec<_>, Vec<_>) = streams.into_iter().map(made_ahead).unzip();
    let mut batches = select_all(batches);
    let mut rows = 0_u64;
    while let Some(batch) = batches.next().await {
        let batch = batch?;
        rows = rows.saturating_add(batch.num_rows() as u64);
        for (tally, (_, columns)) in tallies.iter_mut().zip(layouts) {
            match columns {
                None => tally.update(&batch)?,
                Some(columns) => tally.update(&projected(&batch, columns)?)?,
            }
        }
        progress(rows);
        // Whoever waits for this may want it to end.
        tokio::task::yield_now().await;
    }
    // A task that died looks like the end of its stream: rows must not go missing in silence.
    for mut maker in makers {
        (&mut maker.0).await.map_err(|_| engine_failed())?;
    }
    tallies.into_iter().map(Tally::finish).collect()
}

fn projected(batch: &RecordBatch, columns: &[usize]) -> Result<RecordBatch, QueryError> {
    batch.project(columns).map_err(|_| engine_failed())
}

fn engine_failed() -> QueryError {
    QueryError::engine("reading rows")
}

/// A task that ends when nobody wants its end any more.
struct Maker(tokio::task::JoinHandle<()>);

impl Drop for Maker {
    fn drop(&mut self) {
        self.0.abort();
    }
}

/// Runs a stream in a task; it ends early if nobody listens.
fn made_ahead(
    mut stream: SendableRecordBatchStream,
) -> (mpsc::Receiver<Result<RecordBatch, QueryError>>, Maker) {
    let (mut sender, receiver) = mpsc::channel(AHEAD);
    let maker = tokio::spawn(async move {
        while let Some(batch) = stream.next().await {
            // What the engine says may hold values of rows.
            if sender.send(batch.map_err(|_| engine_failed())).await.is_err() {
                return;
            }
        }
    });
    (receiver, Maker(maker))
}
