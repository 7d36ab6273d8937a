"""MISRA C:2012 rules that the C does not keep, and why: docs/safety.md lists them from here.

The list is what cppcheck's addon finds in generated C, runtime and start-up (a test compares).
"""

from __future__ import annotations

from typing import NamedTuple


class Deviation(NamedTuple):
    """A rule that is deviated from: number, category, where, why."""

    rule: str
    category: str
    where: str
    reason: str


_KERNELS, _START, _ALL = "runtime", "start-up", "everywhere"

DEVIATIONS = (
    Deviation("1.4", "required", _ALL, "C11: `_Static_assert`, `_Alignas`, `_Noreturn`."),
    Deviation("2.2", "required", "generated functions",
              "`+ 0`: the place of a buffer at the start of its region, written like any other."),
    Deviation("2.3", "advisory", "runtime headers",
              "One header serves all models; a model need not use every type of it."),
    Deviation("2.4", "advisory", "runtime headers", "As 2.3, for tags."),
    Deviation("2.5", "advisory", "headers", "As 2.3, for macros; a board's serve all programs."),
    Deviation("2.7", "advisory", _KERNELS,
              "Kernels of one form share a signature; the checker also takes operands of inline "
              "assembly for unused."),
    Deviation("5.7", "required", _ALL, "Enums without a tag, which the checker takes for one."),
    Deviation("8.4", "required", "generated data",
              "The self-check's table is found by name, and only compiled in with it."),
    Deviation("8.9", "advisory", _ALL, "Tables stand at file scope, so that the map names them."),
    Deviation("8.11", "advisory", _START, "Symbols of the linker script have no size."),
    Deviation("9.4", "required", "generated arena",
              "None is initialised twice: the checker counts the nested array wrongly."),
    Deviation("10.1", "required", "requantization",
              "Right shifts of negative numbers; a static assertion wants them arithmetic."),
    Deviation("10.3", "required", _KERNELS, "Results of comparisons are kept in int32_t."),
    Deviation("10.4", "required", _ALL, "0, or the result of a comparison, beside another type."),
    Deviation("10.8", "required", _KERNELS,
              "Sums are made in the type that cannot overflow and narrowed once; each kernel's "
              "comment gives the bound."),
    Deviation("11.4", "advisory", _START, "Registers have addresses."),
    Deviation("11.5", "advisory", _KERNELS,
              "One driver serves kernels of all types; alignment is planned and tested."),
    Deviation("11.9", "required", _KERNELS, "0 is written for the null pointer."),
    Deviation("12.1", "advisory", _ALL, "C's precedence is relied on; -Wall looks for slips."),
    Deviation("12.3", "advisory", _ALL, "Several declarators on a line, taken for commas."),
    Deviation("13.3", "advisory", _ALL, "`*to++ = *from++`."),
    Deviation("14.2", "required", _START, "Copy loops advance the pointer in their body."),
    Deviation("14.4", "required", _KERNELS, "An int32_t that is 0 or 1 is a condition."),
    Deviation("15.5", "advisory", _ALL, "Functions return early."),
    Deviation("15.7", "required", _KERNELS, "else if without else where nothing is left to do."),
    Deviation("17.7", "required", _ALL, "The result of memcpy and memset is their argument."),
    Deviation("17.8", "advisory", _KERNELS, "Pointers and counters given by value are advanced."),
    Deviation("18.4", "advisory", _KERNELS,
              "Pointers are advanced with +; sanitizers and guard zones check them in the tests."),
    Deviation("20.1", "advisory", "generated data", "Headers stand behind tables that need none."),
    Deviation("20.5", "advisory", _KERNELS,
              "A kernel that is one text for several element types forgets its type at the end."),
    Deviation("20.7", "required", _KERNELS, "Arguments that are pieces of assembler text."),
    Deviation("20.9", "required", "generated data", "`__has_attribute`, asked for behind #ifdef."),
    Deviation("20.10", "advisory", _KERNELS,
              "# makes assembler text of constants, ## names the functions of a kernel."),
    Deviation("Dir 4.3", "required", _KERNELS,
              "Assembler stands in the kernels that it is for, one machine in each file."),
)  # fmt: skip


def table() -> str:
    """The deviations as a Markdown table."""
    rows = ["| rule | category | where | why |", "| --- | --- | --- | --- |"]
    rows += [f"| {d.rule} | {d.category} | {d.where} | {d.reason} |" for d in DEVIATIONS]
    return "\n".join(rows)
