//! The engine alone, without privacy: `plain events=events.parquet 'SELECT …'`; the benchmarks
//! compare with it.

use std::error::Error;

use datafusion::arrow::array::RecordBatch;
use datafusion::arrow::util::pretty::pretty_format_batches;
use datafusion::prelude::{ParquetReadOptions, SessionContext};

fn main() -> Result<(), Box<dyn Error>> {
    let mut args = std::env::args().skip(1);
    let (Some(table), Some(sql)) = (args.next(), args.next()) else {
        return Err("usage: plain TABLE=FILE.parquet SQL".into());
    };
    let (name, path) = table.split_once('=').ok_or("TABLE=FILE.parquet")?;
    let runtime = tokio::runtime::Builder::new_multi_thread().enable_all().build()?;
    runtime.block_on(async {
        let context = SessionContext::new();
        context.register_parquet(name, path, ParquetReadOptions::default()).await?;
        let batches = context.sql(&sql).await?.collect().await?;
        let rows: usize = batches.iter().map(RecordBatch::num_rows).sum();
        if rows <= 100 {
            println!("{}", pretty_format_batches(&batches)?);
        } else {
            println!("{rows} rows");
        }
        Ok(())
    })
}
