//! From SQL to questions.
