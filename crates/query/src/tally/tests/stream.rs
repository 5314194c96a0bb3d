//! Rows from streams.

use datafusion::common::DataFusionError;
use datafusion::execution::SendableRecordBatchStream;
use datafusion::physical_plan::stream::RecordBatchStreamAdapter;
use futures::stream;

use super::*;

const BOUNDING: Bounding = Bounding { groups: 2, rows: RowBound::PerCell { rows: 2 }, values: 1 };

fn rows() -> Vec<Row> {
    let row = |i: i64| Row {
        unit: Some(i % 7),
        city: Some(if i % 3 == 0 { "a" } else { "b" }),
        year: Some(i % 5),
        income: None,
        age: Some(i),
    };
    (0..1000).map(row).collect()
}

fn source(batches: Vec<Result<RecordBatch, DataFusionError>>) -> SendableRecordBatchStream {
    let schema = batch(&[], &by_user()).schema();
    Box::pin(RecordBatchStreamAdapter::new(schema, stream::iter(batches)))
}

fn run<T>(work: impl Future<Output = T>) -> T {
    tokio::runtime::Builder::new_current_thread().build().unwrap().block_on(work)
}

#[test]
fn several_streams_and_layouts_are_counted_at_once() {
    let all = layout(by_user(), private());
    let by_city = Layout { keys: all.keys[..1].to_vec(), ..all.clone() };
    let parts = rows().chunks(300).map(|part| Ok(batch(part, &by_user()))).collect::<Vec<_>>();
    let mut parts = parts.into_iter();
    let streams = vec![source(parts.by_ref().take(1).collect()), source(parts.collect())];
    let layouts = [(all.clone(), None), (by_city, Some(vec![0, 1, 3, 4]))];
    let told = std::sync::atomic::AtomicU64::new(0);
    let progress = |rows| told.store(rows, std::sync::atomic::Ordering::Relaxed);
    let found = run(tally_projected(&layouts, KEY, streams, &progress)).unwrap();
    assert_eq!(told.into_inner(), 1000);
    let expected = totals(&all, &rows());
    let show = |totals: &Totals| shown(totals, &totals.bounded(&BOUNDING, &[0; 8]).unwrap());
    assert_eq!(show(&found[0]), show(&expected));
    assert_eq!(found[1].group_count(), 2);
    assert_eq!(found[1].row_count(), 1000);
}

#[test]
fn what_the_engine_says_is_not_repeated() {
    let failure = DataFusionError::Execution("row 17 holds 33".into());
    let streams = vec![source(vec![Ok(batch(&rows(), &by_user())), Err(failure)])];
    let layouts = [layout(by_user(), private())];
    let error = run(tally_streams(&layouts, KEY, streams, &|_| ())).err().unwrap();
    assert_eq!(error.to_string(), "the engine failed while reading rows");
}

#[test]
fn a_stream_that_dies_is_not_a_short_stream() {
    let schema = batch(&[], &by_user()).schema();
    let dying = stream::once(async { panic!("a fault in the engine") });
    let dying: SendableRecordBatchStream = Box::pin(RecordBatchStreamAdapter::new(schema, dying));
    let layouts = [layout(by_user(), private())];
    assert!(run(tally_streams(&layouts, KEY, vec![dying], &|_| ())).is_err());
}
