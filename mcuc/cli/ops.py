"""`mcuc ops`: the support matrix, made from the registry."""

from __future__ import annotations

import click

from mcuc.cli.command import Json, json_option, reporting, table


@click.command("ops")
@json_option
@reporting
def command(as_json: bool) -> Json:
    """The support matrix: ops, operand types, kernels."""
    from mcuc.ops import registry

    entries: list[Json] = [
        {
            "op": spec.name,
            "doc": spec.doc,
            "operands": [
                {
                    "name": operand.name,
                    "dtypes": [dtype.value for dtype in operand.dtypes],
                    "const": operand.const,
                    "optional": operand.optional,
                }
                for operand in spec.operands
            ],
            "kernels": [kernel.symbol for kernel in spec.kernels],
        }
        for spec in registry().values()
    ]
    if not as_json:
        for entry in entries:
            operands = ", ".join(
                f"{o['name']}: {'/'.join(o['dtypes'])}"
                + (" const" if o["const"] else "")
                + (" optional" if o["optional"] else "")
                for o in entry["operands"]
            )
            entry["shown"] = operands
        table(
            "",
            ("op", "operands", "kernels", "what it is"),
            [(e["op"], e.pop("shown"), len(e["kernels"]), e["doc"]) for e in entries],
        )
    return {"schema": 1, "ops": entries}
