//! Text that rows only carry along is read as views: keys are told apart by them faster, and the
//! reader does not copy each of them.

use std::sync::Arc;

use datafusion::arrow::datatypes::{DataType, Field, Schema};
use datafusion::common::Result;
use datafusion::datasource::physical_plan::{FileScanConfigBuilder, ParquetSource};
use datafusion::datasource::source::DataSourceExec;
use datafusion::datasource::table_schema::TableSchema;
use datafusion::physical_expr::expressions::Column;
use datafusion::physical_expr::projection::ProjectionExprs;
use datafusion::physical_expr::utils::collect_columns;
use datafusion::physical_plan::ExecutionPlan;

/// The plan, or the same with views where it is nothing but a scan of Parquet files.
///
/// # Errors
/// If the engine does not take the scan; never because of rows.
pub(super) fn with_views(plan: Arc<dyn ExecutionPlan>) -> Result<Arc<dyn ExecutionPlan>> {
    let scan = plan.downcast_ref::<DataSourceExec>();
    let Some((config, source)) =
        scan.and_then(DataSourceExec::downcast_to_file_source::<ParquetSource>)
    else {
        return Ok(plan);
    };
    let table = config.file_source().table_schema();
    let carried =
        config.file_source().projection().map(|columns| carried(columns, table.file_schema()));
    let Some((projection, schema)) = config.file_source().projection().zip(carried.flatten())
    else {
        return Ok(plan);
    };
    let mut views = ParquetSource::new(TableSchema::from(Arc::new(schema)))
        .with_table_parquet_options(source.table_parquet_options().clone());
    if let Some(reader) = source.parquet_file_reader_factory() {
        views = views.with_parquet_file_reader_factory(Arc::clone(reader));
    }
    let plain = config.file_source().filter().is_none() && table.table_partition_cols().is_empty();
    let views: Arc<dyn datafusion::datasource::physical_plan::FileSource> = Arc::new(views);
    match views.try_pushdown_projection(projection)? {
        Some(views) if plain => {
            let config = FileScanConfigBuilder::from(config.clone()).with_source(views).build();
            Ok(Arc::new(DataSourceExec::from(config)))
        }
        _ => Ok(plan),
    }
}

/// The schema with views for text that is passed on as it is and used by nothing else; `None` if there is none.
fn carried(projection: &ProjectionExprs, schema: &Schema) -> Option<Schema> {
    let is_carried = |place: usize| {
        projection.expr_iter().all(|expr| {
            expr.downcast_ref::<Column>().is_some_and(|column| column.index() == place)
                || collect_columns(&expr).iter().all(|column| column.index() != place)
        })
    };
    let field = |(place, field): (usize, &Arc<Field>)| {
        if *field.data_type() == DataType::Utf8 && is_carried(place) {
            field.as_ref().clone().with_data_type(DataType::Utf8View)
        } else {
            field.as_ref().clone()
        }
    };
    let fields: Vec<Field> = schema.fields().iter().enumerate().map(field).collect();
    let views = Schema::new(fields);
    (views.fields() != schema.fields()).then_some(views)
}
