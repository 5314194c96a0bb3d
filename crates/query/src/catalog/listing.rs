//! The files of a table as the engine sees them.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use datafusion::arrow::datatypes::SchemaRef;
use datafusion::catalog::TableProvider;
use datafusion::datasource::file_format::parquet::ParquetFormat;
use datafusion::datasource::listing::{
    ListingOptions, ListingTable, ListingTableConfig, ListingTableUrl,
};

use super::config;
use super::stream::{Part, StreamedTable};
use crate::QueryError;
use crate::policy::{Format, Table};

/// The provider of a table whose files and schema are known.
pub(super) fn provider(
    table: &Table,
    paths: &[PathBuf],
    schema: &SchemaRef,
) -> Result<Arc<dyn TableProvider>, QueryError> {
    let part = match table.format {
        Format::Parquet => return parquet(table, paths, schema),
        Format::Csv => Part::Csv,
        Format::Arrow => Part::Arrow,
        Format::Memory => {
            return Err(QueryError::engine(format!("opening table {}", table.name)));
        }
    };
    let parts = paths.iter().cloned().map(part).collect();
    Ok(Arc::new(StreamedTable::new(Arc::clone(schema), parts)))
}

fn parquet(
    table: &Table,
    paths: &[PathBuf],
    schema: &SchemaRef,
) -> Result<Arc<dyn TableProvider>, QueryError> {
    let format = ParquetFormat::default().with_options(config::parquet());
    let urls = paths.iter().map(|path| url(table, path)).collect::<Result<Vec<_>, _>>()?;
    let options = ListingOptions::new(Arc::new(format)).with_file_extension("");
    let config = ListingTableConfig::new_with_multi_paths(urls)
        .with_listing_options(options)
        .with_schema(Arc::clone(schema));
    let refused = |_| QueryError::engine(format!("opening table {}", table.name));
    Ok(Arc::new(ListingTable::try_new(config).map_err(refused)?))
}

/// The file as a URL, every unusual byte escaped, so that no name is mistaken for a glob.
fn url(table: &Table, path: &Path) -> Result<ListingTableUrl, QueryError> {
    let odd = || {
        let what = format!("table {}: the name of {} is too odd", table.name, path.display());
        QueryError::invalid(what, "rename it: letters, digits, - _ . and spaces")
    };
    let text = path.to_str().ok_or_else(odd)?;
    let mut url = String::from("file://");
    for byte in text.bytes() {
        match byte {
            b'a'..=b'z' | b'A'..=b'Z' | b'0'..=b'9' | b'-' | b'_' | b'.' | b'~' | b'/' => {
                url.push(char::from(byte));
            }
            _ => url.push_str(&format!("%{byte:02X}")),
        }
    }
    ListingTableUrl::parse(url).map_err(|_| odd())
}
