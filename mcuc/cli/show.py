"""Reports as text on a terminal or in a pipe."""

from __future__ import annotations

import click

from mcuc.cli.command import Json, table


def _bytes(value: int | None) -> str:
    return "not known" if value is None else f"{value:,} B"


def summary(report: Json) -> None:
    """The key figures of a compilation."""
    memory, flash, macs = report["memory"], report["flash"], report["macs"]
    gap = memory["arena_bytes"] - memory["lower_bound_bytes"]
    proof = "proven least" if memory["optimal"] else f"{gap:,} B above the lower bound"
    rows = [
        (
            "RAM" if memory["stack_bytes"] is not None else "RAM, at least",
            _bytes(memory["total_bytes"]),
            f"of {memory['limit_bytes']:,} B",
        ),
        ("  arena", _bytes(memory["arena_bytes"]), f"{proof} ({memory['solver']})"),
        ("  static", _bytes(memory["static_bytes"]), ""),
        (
            "  stack",
            _bytes(memory["stack_bytes"]),
            "" if memory["stack_bytes"] is None else "bound from the call graph",
        ),
        ("flash", _bytes(flash["total_bytes"]), f"of {flash['limit_bytes']:,} B"),
        ("  weights", _bytes(flash["weights_bytes"]), ""),
        ("  code", _bytes(flash["code_bytes"]), flash["compiler"]),
        ("MACs", f"{macs['executed']:,}", f"schedule: {report['schedule']['kind']}"),
    ]
    name = f"{report['model']['file']} on {report['board']['id']}"
    table(name, ("", "amount", "note"), rows)
    for note in report["notes"]:
        click.echo(f"note: {note}")


def layers(report: Json) -> None:
    """The per-layer table."""
    table(
        "",
        ("op", "name", "kind", "shape", "MACs", "RAM live", "instructions", "kernel"),
        [
            (
                layer["index"],
                layer["name"][:40],
                layer["op"],
                "x".join(map(str, layer["shape"])),
                layer["macs"],
                layer["ram_bytes"],
                layer["instructions"],
                layer["kernel"],
            )
            for layer in report["layers"]
        ],
    )


def quantization(document: Json, every_layer: bool) -> None:
    """What quantization did and cost."""
    figures, accuracy = document["quantization"], document["accuracy"]
    sqnr = figures["output_sqnr_db"]
    rows: list[tuple[str, object, str]] = [
        ("activations", figures["precision"], f"ranges: {figures['method']}"),
        ("samples", figures["samples"], ""),
        ("output SQNR", "-" if sqnr is None else f"{sqnr:.1f} dB", "least of all outputs"),
        ("layers in float32", figures["float_layers"], ""),
        ("layers in int16", figures["int16_layers"], ""),
    ]
    if accuracy is not None:
        rows += [
            ("top-1, float32", f"{accuracy['float_top1']:.4f}", "ONNX Runtime"),
            ("top-1, integers", f"{accuracy['integer_top1']:.4f}", "reference"),
            ("lost", f"{accuracy['drop_points']:.2f} points", f"of {accuracy['samples']} samples"),
        ]
    table(document["model"]["file"], ("", "value", "note"), rows)
    if every_layer:
        columns = ("op", "name", "kind", "bits", "SQNR dB", "range", "used %", "cut off %",
                   "dead", "outliers", "float because")  # fmt: skip
        table("", columns, [_quantized_layer(layer) for layer in figures["layers"]])
    for gate in document["gates"]:
        passed = "passed" if gate["passed"] else "FAILED"
        click.echo(f"{gate['gate']} {gate['limit']:g}: {gate['value']} {passed}")
    for note in document["notes"]:
        click.echo(f"note: {note}")


def _quantized_layer(layer: Json) -> tuple[object, ...]:
    bits = str(layer["activation_bits"])
    bits += f"/{layer['weight_bits']}" if layer["weight_bits"] else ""
    low, high = layer["seen"]
    return (
        layer["index"],
        str(layer["name"])[:32],
        layer["op"],
        bits,
        f"{layer['sqnr_db']:.1f}",
        f"{low:.4g} .. {high:.4g}",
        None if layer["levels"] is None else f"{100 * layer['levels']:.0f}",
        f"{100 * layer['saturated']:.2f}",
        layer["dead_channels"],
        layer["outlier_channels"],
        layer["float_because"] or "",
    )


def profile(report: Json, unit: str) -> None:
    """What each layer took, beside the prediction of the search (always in instructions)."""
    table(
        "",
        ("op", "name", "kind", "MACs", "predicted", unit, "per MAC", "kernel"),
        [
            (
                layer["index"],
                layer["name"][:40],
                layer["op"],
                layer["macs"],
                layer["predicted"],
                layer["instructions"],
                _per(layer["instructions"], layer["macs"]),
                layer["kernel"],
            )
            for layer in report["layers"]
        ],
    )


def _per(count: int | None, macs: int) -> str | None:
    return f"{count / macs:.2f}" if count is not None and macs else None
