"""Einsum, as far as it is a matrix product with axes moved, summed or repeated around it."""

from __future__ import annotations

import math

from mcuc.frontends.onnx.handlers.weights import product
from mcuc.frontends.onnx.operator import Handler, Operator, Results


def einsum(operator: Operator) -> Results:
    """One or two operands; every letter once in each.

    Letters of both operands and the result are a batch, of both and not the result are summed, of
    one operand and the result are its rows or columns; of one operand alone are summed before.
    """
    terms, out = _parsed(operator)
    values = [operator.value(i) for i in range(len(terms))]
    sizes: dict[str, int] = {}
    for value, term in zip(values, terms, strict=True):
        for letter, size in zip(term, operator.graph.shape(value), strict=True):
            if sizes.setdefault(letter, size) != size:
                raise operator.error("E111", f"the axis {letter!r} has two sizes")
    everywhere = [set(out).union(*(terms[:i] + terms[i + 1 :])) for i in range(len(terms))]
    for i, wanted in enumerate(everywhere):
        gone = [axis for axis, letter in enumerate(terms[i]) if letter not in wanted]
        if gone:
            values[i] = operator.reduced("sum", values[i], gone, keep=False)
            terms[i] = "".join(letter for letter in terms[i] if letter in wanted)
    if len(terms) == 1:
        return (_ordered(operator, values[0], terms[0], out),)
    batch = [c for c in out if c in terms[0] and c in terms[1]]
    rows = [c for c in out if c in terms[0] and c not in terms[1]]
    columns = [c for c in out if c in terms[1] and c not in terms[0]]
    inner = [c for c in terms[0] if c in terms[1] and c not in out]

    def grouped(value: int, term: str, *groups: list[str]) -> int:
        moved = _ordered(operator, value, term, "".join(c for group in groups for c in group))
        shape = [sizes[c] for c in batch]
        shape += [math.prod(sizes[c] for c in group) for group in groups[1:]]
        return operator.graph.reshape(moved, shape)

    a = grouped(values[0], terms[0], batch, rows, inner)
    b = grouped(values[1], terms[1], batch, inner, columns)
    found = product(operator, a, b)
    order = "".join((*batch, *rows, *columns))
    shaped = operator.graph.reshape(found, [sizes[c] for c in order])
    return (_ordered(operator, shaped, order, out),)


def _ordered(operator: Operator, value: int, term: str, wanted: str) -> int:
    return operator.graph.transpose(value, [term.index(letter) for letter in wanted])


def _parsed(operator: Operator) -> tuple[list[str], str]:
    """The letters of every operand and of the result."""
    equation = operator.word("equation", "").replace(" ", "")
    left, arrow, out = equation.partition("->")
    terms = left.split(",")
    if not arrow:
        letters = sorted(set(left) - {","})
        out = "".join(letter for letter in letters if left.count(letter) == 1)
    fine = len(terms) == len(operator.inputs) in (1, 2) and all(
        term.isalpha() and len(set(term)) == len(term) for term in terms
    )
    fine = fine and set(out) <= set("".join(terms)) and len(set(out)) == len(out)
    if not fine:
        raise operator.error(
            "E115", f"the equation {equation!r} is not supported",
            "one or two operands, every letter once in each",
        )  # fmt: skip
    for i, term in enumerate(terms):
        if len(term) != len(operator.shape(i)):
            raise operator.error("E111", f"{term!r} does not fit the shape {operator.shape(i)}")
    return terms, out


HANDLERS: dict[str, Handler] = {"Einsum": einsum}
