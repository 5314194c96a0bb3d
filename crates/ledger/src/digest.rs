//! SHA-256, as keys of questions and as links of the chain.

use std::fmt;
use std::str::FromStr;

use serde::{Deserialize, Deserializer, Serialize, Serializer, de};
use sha2::{Digest as _, Sha256};

use crate::LedgerError;

/// 32 bytes of SHA-256; 64 hexadecimal digits as text.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Digest([u8; 32]);

impl Digest {
    /// The digest of some bytes: of the canonical form of a question, for example.
    #[must_use]
    pub fn of(bytes: &[u8]) -> Self {
        Self(Sha256::digest(bytes).into())
    }

    /// The digest of several parts, each preceded by its length, so that no two lists of parts
    /// read the same.
    #[must_use]
    pub fn of_parts(parts: &[&[u8]]) -> Self {
        let mut hash = Sha256::new();
        for part in parts {
            let length = u64::try_from(part.len()).unwrap_or(u64::MAX);
            hash.update(length.to_be_bytes());
            hash.update(part);
        }
        Self(hash.finalize().into())
    }

    /// The bytes.
    #[must_use]
    pub const fn as_bytes(&self) -> &[u8; 32] {
        &self.0
    }
}

impl From<[u8; 32]> for Digest {
    fn from(bytes: [u8; 32]) -> Self {
        Self(bytes)
    }
}

impl TryFrom<&[u8]> for Digest {
    type Error = LedgerError;

    fn try_from(bytes: &[u8]) -> Result<Self, LedgerError> {
        let bytes = <[u8; 32]>::try_from(bytes)
            .map_err(|_| LedgerError::corrupt("a digest is not 32 bytes long"))?;
        Ok(Self(bytes))
    }
}

/// Lower-case hexadecimal digits.
pub(crate) fn hex(bytes: &[u8]) -> String {
    const DIGITS: &[u8; 16] = b"0123456789abcdef";
    let digit = |nibble: u8| DIGITS.get(usize::from(nibble)).map_or('0', |d| char::from(*d));
    bytes.iter().flat_map(|byte| [digit(byte >> 4), digit(byte & 15)]).collect()
}

/// The value of each lower-case hexadecimal digit, and 255 for every other byte.
const NIBBLES: [u8; 256] = {
    let mut values = [u8::MAX; 256];
    let mut value = 0;
    while value < 16 {
        values[b"0123456789abcdef"[value as usize] as usize] = value;
        value += 1;
    }
    values
};

/// The `N` bytes of 2`N` lower-case hexadecimal digits, and of nothing else.
pub(crate) fn unhex<const N: usize>(text: &str) -> Option<[u8; N]> {
    let (pairs, rest) = text.as_bytes().as_chunks::<2>();
    let pairs = <&[[u8; 2]; N]>::try_from(pairs).ok().filter(|_| rest.is_empty())?;
    let nibble = |digit: u8| NIBBLES.get(usize::from(digit)).copied().unwrap_or(u8::MAX);
    let (mut bytes, mut seen) = ([0; N], 0);
    for (byte, [high, low]) in bytes.iter_mut().zip(pairs) {
        let (high, low) = (nibble(*high), nibble(*low));
        seen |= high | low;
        *byte = high << 4 | low;
    }
    (seen < 16).then_some(bytes)
}

impl fmt::Display for Digest {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(&hex(&self.0))
    }
}

impl fmt::Debug for Digest {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

impl FromStr for Digest {
    type Err = LedgerError;

    fn from_str(text: &str) -> Result<Self, LedgerError> {
        unhex(text).map(Self).ok_or_else(|| {
            LedgerError::invalid("this is not a digest", "a digest is 64 digits 0-9a-f")
        })
    }
}

impl Serialize for Digest {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}

impl<'de> Deserialize<'de> for Digest {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Hex;
        impl de::Visitor<'_> for Hex {
            type Value = Digest;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                write!(f, "64 digits 0-9a-f")
            }

            fn visit_str<E: de::Error>(self, text: &str) -> Result<Digest, E> {
                text.parse().map_err(de::Error::custom)
            }
        }
        deserializer.deserialize_str(Hex)
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    proptest! {
        #[test]
        fn it_is_read_back(bytes: [u8; 32]) {
            let digest = Digest::from(bytes);
            prop_assert_eq!(digest.to_string().parse::<Digest>().unwrap(), digest);
        }

        /// 64 characters of which one is no digit, whatever it is.
        #[test]
        fn nothing_else_is_read(at in 0..64_usize, odd in any::<char>()) {
            prop_assume!(!"0123456789abcdef".contains(odd));
            let mut text: Vec<char> = Digest::of(b"").to_string().chars().collect();
            text[at] = odd;
            prop_assert!(text.iter().collect::<String>().parse::<Digest>().is_err());
        }
    }

    #[test]
    fn its_length_is_fixed() {
        let text = Digest::of(b"").to_string();
        for length in 0..64 {
            assert!(text[..length].parse::<Digest>().is_err());
        }
        assert!(format!("{text}0").parse::<Digest>().is_err());
        assert!(format!("{text}00").parse::<Digest>().is_err());
    }
}
