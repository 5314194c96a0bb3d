//! SQL on private tables.
