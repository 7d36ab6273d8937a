"""C literals and identifiers that are always valid, whatever the user's file contains."""

from __future__ import annotations

import re
import unicodedata

import numpy as np
import numpy.typing as npt

WIDTH = 100
_SUFFIX = {"int64": "LL", "uint64": "ULL", "uint32": "u"}
# Keywords of C11 and C++17, and names that the headers bring.
_RESERVED = frozenset(
    word
    for line in (
        "alignas alignof and and_eq asm auto bitand bitor bool break case catch char class compl",
        "const constexpr const_cast continue decltype default delete do double dynamic_cast else",
        "enum explicit export extern false float for friend goto if inline int int8_t int16_t",
        "int32_t int64_t long main mutable namespace new noexcept not not_eq nullptr operator or",
        "or_eq private protected public register reinterpret_cast restrict return short signed",
        "sizeof static static_assert static_cast struct switch template this thread_local throw",
        "true try typedef typeid typename uint8_t uint16_t uint32_t uint64_t union unsigned using",
        "virtual void volatile wchar_t while xor xor_eq size_t mcuc",
    )
    for word in line.split()
)
_C_TYPES = {
    "int8": "int8_t",
    "uint8": "uint8_t",
    "int16": "int16_t",
    "uint16": "uint16_t",
    "int32": "int32_t",
    "uint32": "uint32_t",
    "int64": "int64_t",
    "uint64": "uint64_t",
    "float32": "float",
    "bool": "uint8_t",
}


def c_type(array: npt.NDArray[np.generic]) -> str:
    """C element type of an array; KeyError for types that no kernel reads."""
    return _C_TYPES[array.dtype.name]


def integer(value: int) -> str:
    """A C integer constant; the most negative ones are written as a difference."""
    value = int(value)
    if value == -(1 << 31):
        return "(-2147483647 - 1)"
    if value == -(1 << 63):
        return "(-9223372036854775807LL - 1)"
    return f"{value}LL" if not -(1 << 31) < value < 1 << 31 else str(value)


def real(value: float) -> str:
    """A float32 constant that reads back to the same value (B: no rounding on the way)."""
    narrow = np.float32(value)
    if not np.isfinite(narrow):
        raise ValueError(f"{value} has no C constant")
    text = np.format_float_scientific(narrow, unique=True, trim="0")
    return f"{text}f"


def array_initializer(array: npt.NDArray[np.generic]) -> str:
    """The initializer of a constant table: a string for bytes (compiles fast), else a list."""
    flat = np.ascontiguousarray(array).reshape(-1)
    if flat.dtype.itemsize == 1:
        return _byte_string(flat.view(np.uint8).tobytes())
    if flat.dtype == np.float32:
        return _list([real(float(v)) for v in flat])
    suffix = _SUFFIX.get(flat.dtype.name, "")
    if suffix:
        return _list([f"{int(v)}{suffix}" if v >= 0 else integer(int(v)) for v in flat])
    return _list([integer(int(v)) for v in flat])


def _byte_string(data: bytes) -> str:
    """Octal escapes of three digits: no escape can swallow what follows it."""
    lines = []
    per_line = 24
    for i in range(0, len(data), per_line):
        text = "".join(f"\\{b:03o}" for b in data[i : i + per_line])
        lines.append(f'    "{text}"')
    return "\n" + "\n".join(lines)


def _list(items: list[str]) -> str:
    lines, line = [], "   "
    for item in items:
        if len(line) + len(item) + 2 > WIDTH:
            lines.append(line)
            line = "   "
        line += f" {item},"
    lines.append(line)
    return "{\n" + "\n".join(lines) + "\n}"


def identifier(text: str, fallback: str = "model") -> str:
    """A C and C++ identifier made of any text: ASCII, lower case, never a keyword.

    Different texts may give the same identifier; `Names` makes them unique.
    """
    ascii_text = unicodedata.normalize("NFKD", text).encode("ascii", "ignore").decode()
    name = re.sub(r"[^0-9a-zA-Z]+", "_", ascii_text).strip("_").lower()[:48].strip("_")
    if not name:
        name = fallback
    if name[0].isdigit():
        name = f"{fallback}_{name}"
    return f"{name}_" if name in _RESERVED else name


class Names:
    """Unique identifiers within one model, stable for the same sequence of requests."""

    def __init__(self) -> None:
        self._taken: set[str] = set()

    def unique(self, text: str, fallback: str) -> str:
        """The identifier of a text, numbered when it is taken."""
        base = identifier(text, fallback)
        name, number = base, 1
        while name in self._taken:
            number += 1
            name = f"{base}_{number}"
        self._taken.add(name)
        return name


def comment(text: str, limit: int = 60) -> str:
    """A text that is safe inside a C block comment and keeps to one line."""
    shown = "".join(c if c.isprintable() else "?" for c in text)
    shown = shown.replace("*/", "* /").replace("/*", "/ *").replace("\\", "/").replace("??", "?")
    return shown if len(shown) <= limit else f"{shown[: limit - 3]}..."
