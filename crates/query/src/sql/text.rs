//! From text to syntax: one SELECT after the other, and nothing else.
//!
//! Hostile text ends here: what is too long, too wide or too deep for the planner is refused by
//! looking at its tokens, before anything recursive sees it.

use datafusion::sql::sqlparser::ast::{Query, SetExpr, Statement as Syntax};
use datafusion::sql::sqlparser::dialect::GenericDialect;
use datafusion::sql::sqlparser::keywords::Keyword;
use datafusion::sql::sqlparser::parser::Parser;
use datafusion::sql::sqlparser::tokenizer::{Location, Token, TokenWithSpan, Tokenizer};

use crate::QueryError;

/// The longest text of a batch, in bytes.
pub const MAX_TEXT: usize = 1 << 20;
/// The most statements in a batch.
pub const MAX_STATEMENTS: usize = 256;
/// The most tokens in a statement.
pub const MAX_TOKENS: usize = 100_000;
/// The most columns in a SELECT.
pub const MAX_COLUMNS: usize = 1_000;
/// The most operators in a statement: each may make the plan one deeper.
pub const MAX_OPERATORS: usize = 500;
/// How deep parentheses, CASE and the like may nest.
pub const MAX_DEPTH: usize = 50;

/// What all names of our own begin with.
pub(super) const RESERVED: &str = "__throng";

/// One statement: its text and its syntax.
pub(super) struct Parsed {
    pub(super) text: String,
    pub(super) syntax: Syntax,
}

/// The statements of a text.
pub(super) fn parse(text: &str) -> Result<Vec<Parsed>, QueryError> {
    if text.len() > MAX_TEXT {
        return Err(too_much("bytes of SQL", text.len(), MAX_TEXT));
    }
    let mut parsed = Vec::new();
    for piece in pieces(text)? {
        if parsed.len() == MAX_STATEMENTS {
            return Err(too_much("statements", MAX_STATEMENTS + 1, MAX_STATEMENTS));
        }
        parsed.push(one(piece)?);
    }
    if parsed.is_empty() {
        return Err(QueryError::invalid(
            "there is no SQL statement",
            "write a query, such as SELECT COUNT(*) FROM events",
        ));
    }
    Ok(parsed)
}

/// The tokens of one statement, with its text.
struct Piece {
    text: String,
    tokens: Vec<TokenWithSpan>,
}

fn pieces(text: &str) -> Result<Vec<Piece>, QueryError> {
    let tokens = Tokenizer::new(&GenericDialect {}, text)
        .tokenize_with_location()
        .map_err(|error| QueryError::invalid(format!("the SQL cannot be read: {error}"), ""))?;
    let mut cursor = Cursor::new(text);
    let mut pieces = Vec::new();
    let mut from = 0;
    let mut held = Vec::new();
    for token in tokens {
        if token.token == Token::SemiColon {
            let end = cursor.at(token.span.start);
            push(&mut pieces, text.get(from..end), std::mem::take(&mut held));
            from = end + 1;
        } else {
            held.push(token);
        }
    }
    push(&mut pieces, text.get(from..), held);
    Ok(pieces)
}

fn push(pieces: &mut Vec<Piece>, text: Option<&str>, tokens: Vec<TokenWithSpan>) {
    let empty = |token: &TokenWithSpan| matches!(token.token, Token::Whitespace(_) | Token::EOF);
    if !tokens.iter().all(empty) {
        pieces.push(Piece { text: text.unwrap_or_default().trim().to_string(), tokens });
    }
}

/// Where in a text tokens start; they come in order, so one pass finds them all.
struct Cursor<'t> {
    rest: std::iter::Peekable<std::str::CharIndices<'t>>,
    here: Location,
    end: usize,
}

impl<'t> Cursor<'t> {
    fn new(text: &'t str) -> Self {
        let rest = text.char_indices().peekable();
        Self { rest, here: Location { line: 1, column: 1 }, end: text.len() }
    }

    /// The byte at a place; lines and characters are counted from one.
    fn at(&mut self, place: Location) -> usize {
        while let Some((at, character)) = self.rest.peek().copied() {
            if (self.here.line, self.here.column) >= (place.line, place.column) {
                return at;
            }
            self.rest.next();
            if character == '\n' {
                self.here = Location { line: self.here.line + 1, column: 1 };
            } else {
                self.here.column += 1;
            }
        }
        self.end
    }
}

fn one(piece: Piece) -> Result<Parsed, QueryError> {
    check_size(&piece.tokens)?;
    check_words(&piece.tokens)?;
    check_columns(&piece.tokens)?;
    let mut parser = Parser::new(&GenericDialect {})
        .with_recursion_limit(MAX_DEPTH)
        .with_tokens_with_locations(piece.tokens);
    let mut statements = parser.parse_statements().map_err(|error| {
        QueryError::invalid(format!("the SQL cannot be parsed: {}", short(&error.to_string())), "")
    })?;
    let syntax = match (statements.pop(), statements.is_empty()) {
        (Some(syntax), true) => syntax,
        _ => return Err(QueryError::invalid("the SQL is not one statement", "")),
    };
    check_select(&syntax)?;
    Ok(Parsed { text: piece.text, syntax })
}

/// Only queries are planned: whatever defines, changes, copies, sets or shows is refused here.
fn check_select(syntax: &Syntax) -> Result<(), QueryError> {
    let Syntax::Query(query) = syntax else {
        let word: String = syntax.to_string().chars().take_while(|c| c.is_alphabetic()).collect();
        return Err(only_queries(&word.to_uppercase()));
    };
    check_query(query)
}

fn check_query(query: &Query) -> Result<(), QueryError> {
    if query.with.as_ref().is_some_and(|with| with.recursive) {
        return Err(QueryError::refused(
            "WITH RECURSIVE",
            "how often a recursive query runs depends on the rows",
            "write the steps out as ordinary sub-queries",
        ));
    }
    if !query.locks.is_empty() || query.for_clause.is_some() || query.format_clause.is_some() {
        return Err(only_queries("SELECT ... FOR"));
    }
    check_body(&query.body)
}

#[expect(clippy::wildcard_enum_match_arm, reason = "what is not named is refused")]
fn check_body(body: &SetExpr) -> Result<(), QueryError> {
    match body {
        SetExpr::Select(select) if select.into.is_some() => Err(only_queries("SELECT INTO")),
        SetExpr::Select(_) | SetExpr::Values(_) => Ok(()),
        SetExpr::Query(query) => check_query(query),
        SetExpr::SetOperation { left, right, .. } => {
            check_body(left)?;
            check_body(right)
        }
        _ => Err(only_queries("this statement")),
    }
}

fn only_queries(what: &str) -> QueryError {
    QueryError::refused(
        if what.is_empty() { "this statement" } else { what },
        "only queries are answered: nothing is defined, changed, copied, set or shown",
        "write SELECT ...",
    )
}

fn check_size(tokens: &[TokenWithSpan]) -> Result<(), QueryError> {
    let count = tokens.iter().filter(|t| !matches!(t.token, Token::Whitespace(_))).count();
    if count > MAX_TOKENS {
        return Err(too_much("words in a statement", count, MAX_TOKENS));
    }
    let operators = tokens.iter().filter(|t| is_operator(&t.token)).count();
    if operators > MAX_OPERATORS {
        return Err(too_much("operators in a statement", operators, MAX_OPERATORS));
    }
    let columns = widest(tokens);
    if columns > MAX_COLUMNS {
        return Err(too_much("columns in a SELECT", columns, MAX_COLUMNS));
    }
    Ok(())
}

/// The most commas, plus one, between a SELECT and its FROM, or anywhere but in a list of literals.
#[expect(clippy::wildcard_enum_match_arm, reason = "other tokens make no column")]
fn widest(tokens: &[TokenWithSpan]) -> usize {
    let mut open = vec![(false, 0_usize)];
    let mut most = 0;
    for token in tokens {
        match &token.token {
            Token::LParen => open.push((false, 0)),
            Token::RParen if open.len() > 1 => drop(open.pop()),
            Token::Comma => {
                if let Some((true, columns)) = open.last_mut() {
                    *columns += 1;
                    most = most.max(*columns + 1);
                }
            }
            Token::Word(word) if word.quote_style.is_none() => {
                if let (Some(level), true) = (open.last_mut(), starts_list(word.keyword)) {
                    *level = (true, 0);
                }
            }
            _ => {}
        }
    }
    most
}

fn starts_list(keyword: Keyword) -> bool {
    matches!(
        keyword,
        Keyword::SELECT | Keyword::FROM | Keyword::BY | Keyword::WITH | Keyword::VALUES
    )
}

/// Whether a token may make the syntax tree one deeper.
#[expect(clippy::wildcard_enum_match_arm, reason = "every other symbol is an operator")]
fn is_operator(token: &Token) -> bool {
    match token {
        Token::Word(word) => word.quote_style.is_none() && is_operator_word(word.keyword),
        Token::EOF
        | Token::Whitespace(_)
        | Token::Number(..)
        | Token::Char(_)
        | Token::SingleQuotedString(_)
        | Token::DoubleQuotedString(_)
        | Token::Comma
        | Token::Period
        | Token::LParen
        | Token::RParen => false,
        _ => true,
    }
}

fn is_operator_word(keyword: Keyword) -> bool {
    matches!(
        keyword,
        Keyword::AND
            | Keyword::OR
            | Keyword::XOR
            | Keyword::NOT
            | Keyword::IS
            | Keyword::IN
            | Keyword::LIKE
            | Keyword::ILIKE
            | Keyword::BETWEEN
            | Keyword::COLLATE
            | Keyword::AT
            | Keyword::DIV
            | Keyword::UNION
            | Keyword::INTERSECT
            | Keyword::EXCEPT
            | Keyword::MINUS
            | Keyword::JOIN
            | Keyword::SELECT
            | Keyword::CASE
            | Keyword::WHEN
    )
}

fn check_words(tokens: &[TokenWithSpan]) -> Result<(), QueryError> {
    for token in tokens {
        if let Token::SingleQuotedString(text) = &token.token
            && text.to_ascii_lowercase().starts_with(RESERVED)
        {
            return Err(QueryError::invalid(
                format!("texts that begin with {RESERVED} are reserved: they may be names"),
                "choose another text",
            ));
        }
        let Token::Word(word) = &token.token else { continue };
        if word.value.to_ascii_lowercase().starts_with(RESERVED) {
            return Err(QueryError::invalid(
                format!("names that begin with {RESERVED} are reserved"),
                "choose another name",
            ));
        }
        if word.quote_style.is_none() && word.keyword == Keyword::TABLESAMPLE {
            return Err(QueryError::refused(
                "TABLESAMPLE",
                "a sample of the engine's choice is not accounted for",
                "ask about the whole table",
            ));
        }
    }
    Ok(())
}

/// A SELECT without columns: the engine's planner does not expect one in a sub-query.
#[expect(clippy::wildcard_enum_match_arm, reason = "other tokens are no keywords")]
fn check_columns(tokens: &[TokenWithSpan]) -> Result<(), QueryError> {
    let words = tokens.iter().map(|t| &t.token).filter(|t| !matches!(t, Token::Whitespace(_)));
    let mut select = false;
    for token in words {
        let keyword = match token {
            Token::Word(word) if word.quote_style.is_none() => word.keyword,
            _ => Keyword::NoKeyword,
        };
        let ends = keyword == Keyword::FROM || matches!(token, Token::RParen | Token::EOF);
        if select && ends {
            return Err(QueryError::invalid("a SELECT has no columns", "name what it selects"));
        }
        let goes_on = select && matches!(keyword, Keyword::DISTINCT | Keyword::ALL);
        select = keyword == Keyword::SELECT || goes_on;
    }
    Ok(())
}

fn too_much(what: &str, found: usize, most: usize) -> QueryError {
    QueryError::invalid(
        format!("{found} {what}: at most {most} are read"),
        "split the question into smaller ones",
    )
}

/// A message of bounded length.
pub(super) fn short(text: &str) -> String {
    const MOST: usize = 600;
    match text.char_indices().nth(MOST) {
        Some((at, _)) => format!("{}...", text.get(..at).unwrap_or_default()),
        None => text.to_string(),
    }
}
