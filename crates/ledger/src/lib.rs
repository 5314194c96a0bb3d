//! Durable budgets.
