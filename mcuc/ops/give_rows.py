"""Rows of an output that the application takes one by one: the output is in no buffer.

Not an op of any file: `mcuc.passes.stream_output` puts it in front of an output. It is `copy_rows`
the other way round; no kernel runs, as the application gets the address of the row
(runtime_c/driver/give.c).
"""

from __future__ import annotations

from dataclasses import replace

from mcuc.ops import copy_rows

Attrs = copy_rows.Attrs
SPEC = replace(
    copy_rows.SPEC, name="give_rows", doc="Rows of an output, as the application takes them"
)
