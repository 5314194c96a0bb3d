//! Tokens to tree, by recursive descent.

use super::resolve::{self, Given};
use super::tokens::{Spot, Token, Tokens};
use super::tree::{Call, Node, Tree};
use super::{MAX_BRACKETS, MAX_TEXT, syntax, too_long};
use crate::AccountError;
use crate::spec::vocabulary::Word;

/// Reads a whole text as one mechanism, possibly with holes.
pub(crate) fn parse(text: &str) -> Result<Tree, AccountError> {
    if text.len() > MAX_TEXT {
        return Err(too_long());
    }
    let mut tokens = Tokens::new(text);
    let current = tokens.next()?;
    let mut parser = Parser { tokens, current, brackets: 0 };
    let tree = mechanism(parser.sum()?)?;
    if parser.current.token != Token::End {
        return Err(parser.unexpected("\"+\", \"*\" or the end"));
    }
    Ok(tree)
}

struct Parser<'a> {
    tokens: Tokens<'a>,
    current: Spot<'a>,
    brackets: usize,
}

impl<'a> Parser<'a> {
    fn advance(&mut self) -> Result<Spot<'a>, AccountError> {
        let next = self.tokens.next()?;
        Ok(std::mem::replace(&mut self.current, next))
    }

    fn at(&self, sign: char) -> bool {
        self.current.token == Token::Sign(sign)
    }

    fn eat(&mut self, sign: char) -> Result<bool, AccountError> {
        let found = self.at(sign);
        if found {
            self.advance()?;
        }
        Ok(found)
    }

    fn unexpected(&self, wanted: &str) -> AccountError {
        let found = match &self.current.token {
            Token::Name(name) => resolve::quoted(name),
            Token::Number(_) => "a number".to_owned(),
            Token::Sign(sign) => format!("\"{sign}\""),
            Token::End => "the end".to_owned(),
        };
        syntax(self.current.column, format!("expected {wanted}, found {found}"))
    }

    /// What `inside` reads between an opening bracket, which is next, and its closing one.
    fn bracketed<T>(
        &mut self,
        close: char,
        inside: impl FnOnce(&mut Self) -> Result<T, AccountError>,
    ) -> Result<T, AccountError> {
        if self.brackets >= MAX_BRACKETS {
            let reason = format!("brackets may nest at most {MAX_BRACKETS} deep");
            return Err(syntax(self.current.column, reason));
        }
        self.brackets += 1;
        self.advance()?;
        let value = inside(self)?;
        if !self.eat(close)? {
            return Err(self.unexpected(&format!("\",\" or \"{close}\"")));
        }
        self.brackets -= 1;
        Ok(value)
    }

    /// Items separated by commas up to the closing bracket; a last comma is allowed.
    fn items<T>(
        &mut self,
        close: char,
        item: impl Fn(&mut Self) -> Result<T, AccountError>,
    ) -> Result<Vec<T>, AccountError> {
        let mut items = Vec::new();
        while !self.at(close) {
            items.push(item(self)?);
            if !self.eat(',')? {
                break;
            }
        }
        Ok(items)
    }

    /// product ('+' product)*, or a single value of any kind.
    fn sum(&mut self) -> Result<Tree, AccountError> {
        let column = self.current.column;
        let first = self.product()?;
        if !self.at('+') {
            return Ok(first);
        }
        let mut parts = vec![mechanism(first)?];
        while self.eat('+')? {
            parts.push(mechanism(self.product()?)?);
        }
        let parts = Tree { column, node: Node::List(parts) };
        let call = Call { word: Word::Composed, slots: vec![Some(parts)] };
        Ok(Tree { column, node: Node::Call(call) })
    }

    /// COUNT '*' factor, or factor '*' COUNT, or a single value of any kind.
    fn product(&mut self) -> Result<Tree, AccountError> {
        let column = self.current.column;
        let left = self.value()?;
        if !self.at('*') {
            return Ok(left);
        }
        let star = self.advance()?.column;
        let right = self.value()?;
        if self.at('*') {
            return Err(syntax(
                self.current.column,
                "one count per mechanism; write 2 * (3 * a) for a repetition of repetitions",
            ));
        }
        let (times, inner) = match (left.is_amount(), right.is_amount()) {
            (true, false) => (left, right),
            (false, true) => (right, left),
            (true, true) | (false, false) => {
                return Err(syntax(star, "\"*\" stands between a count and a mechanism"));
            }
        };
        resolve::call(column, Word::Repeated, vec![Some(mechanism(inner)?), Some(times)])
    }

    fn value(&mut self) -> Result<Tree, AccountError> {
        let column = self.current.column;
        let node = match &self.current.token {
            Token::Number(number) => Node::Number(number.clone()),
            Token::Sign('?') => Node::Hole,
            Token::Name(name) => {
                let name = *name;
                self.advance()?;
                return self.call(column, name);
            }
            Token::Sign('(') => return self.bracketed(')', |inside| inside.group(column)),
            Token::Sign('[') => {
                let items = self.bracketed(']', |inside| inside.items(']', Self::sum))?;
                return Ok(Tree { column, node: Node::List(items) });
            }
            Token::Sign(_) | Token::End => {
                return Err(self.unexpected("a mechanism or a number"));
            }
        };
        self.advance()?;
        Ok(Tree { column, node })
    }

    /// What stands in parentheses: a mechanism or a pair.
    fn group(&mut self, column: usize) -> Result<Tree, AccountError> {
        let first = self.sum()?;
        if !self.eat(',')? {
            return mechanism(first);
        }
        let second = self.sum()?;
        Ok(Tree { column, node: Node::Pair(Box::new((first, second))) })
    }

    /// The arguments of a name and what both mean together.
    fn call(&mut self, column: usize, name: &str) -> Result<Tree, AccountError> {
        let entry = resolve::entry(column, name)?;
        let given = if self.at('(') {
            self.bracketed(')', |inside| inside.items(')', Self::argument))?
        } else {
            Vec::new()
        };
        resolve::arguments(column, entry, given)
    }

    fn argument(&mut self) -> Result<Given, AccountError> {
        let column = self.current.column;
        let mut name = None;
        if let Token::Name(given) = self.current.token
            && self.tokens.next_is('=')
        {
            name = Some(given.to_owned());
            self.advance()?;
            self.advance()?;
        }
        Ok(Given { column, name, value: self.sum()? })
    }
}

fn mechanism(tree: Tree) -> Result<Tree, AccountError> {
    match tree.node {
        Node::Call(_) => Ok(tree),
        Node::Number(_) | Node::Hole | Node::List(_) | Node::Pair(_) => {
            Err(syntax(tree.column, format!("expected a mechanism, found {}", tree.name())))
        }
    }
}
