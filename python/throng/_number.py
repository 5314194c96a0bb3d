"""Numbers as people write them."""

from decimal import Decimal
from fractions import Fraction

#: A number, exactly: ``"256/60000"`` as a text or a ``Fraction``; a float means what it prints as.
Number = float | int | str | Fraction | Decimal
