//! The walk of a question: explain, pay, run, store, hand over.
