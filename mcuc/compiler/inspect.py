"""What is in a model file, read as far as it can be: no compiler and no board are needed.

RAM figures are those of the layer-by-layer schedule with portable kernels, or of the schedule and
kernels that a board would get; then the instructions of each layer are predicted too. A model with
problems still gives the list of its operators, and all problems that the stages before C find.
"""

from __future__ import annotations

import hashlib
from pathlib import Path

from mcuc.compiler.compile import load_model, read_model
from mcuc.compiler.options import Options
from mcuc.compiler.pipeline import Lowered, lower_and_plan
from mcuc.compiler.quantize import in_arithmetic
from mcuc.compiler.receptive_field import receptive_field
from mcuc.device.board import Board
from mcuc.errors import McucError, exit_code, flatten
from mcuc.frontends.tflite import schema
from mcuc.frontends.tflite.flatbuffer import Reader
from mcuc.ir.graph import Graph
from mcuc.ir.target import HOST
from mcuc.ops import spec_of
from mcuc.ops.spec import Site
from mcuc.passes.left_over import left_over
from mcuc.plan.problem import occupied_bytes
from mcuc.report.document import Json, port, predicted_of

SCHEMA_VERSION = 1


def inspect_model(
    path: Path,
    options: Options,
    receptive_patches: int | None = None,
    board: Board | None = None,
) -> tuple[Json, int]:
    """The document of `mcuc inspect` and its exit code.

    Args:
        path: The model file.
        options: How it would be compiled.
        receptive_patches: P of the P x P patches whose costs are to be shown; None = they are not.
        board: Whose kernels and memory count; None = portable kernels.

    Raises:
        McucError: the file cannot be read at all (E101, E106, E108).
    """
    data = read_model(path)
    graph: Graph | None = None
    lowered: Lowered | None = None
    problems: list[McucError] = []
    notes: tuple[str, ...] = ()
    code, target = 0, HOST if board is None else board.target
    try:
        loaded = load_model(path, data, options)
        graph, notes = loaded.graph, loaded.notes
        arithmetic = in_arithmetic(loaded, path, options)
        notes = arithmetic.notes
        lowered = lower_and_plan(arithmetic.graph, target, options)
    except McucError as error:
        problems, code = list(flatten(error)), exit_code(error)
        if graph is None and any(p.code in ("E101", "E106") for p in problems):
            raise  # nothing could be listed
    rows = _listed(path, data)
    if graph is not None:
        _measure(rows, graph, options.numerics)
    if lowered is not None:
        _add_lowered(rows, lowered, board)
    for row in rows:
        row["problems"] = [p.code for p in problems if p.loc.op_index == row["index"]]
    document: Json = {
        "schema": SCHEMA_VERSION,
        "model": {
            "file": path.name,
            "sha256": hashlib.sha256(data).hexdigest(),
            "file_bytes": len(data),
        },
        "numerics": options.numerics,
        **_of_graph(graph, rows),
        "arena_bytes": None if lowered is None else lowered.plan.arena_bytes,
        "schedule": None if lowered is None else lowered.chosen.kind,
        "board": None if board is None else board.id,
        "predicted": _sum(rows, "predicted"),
        "notes": _notes(notes, lowered),
        "errors": [problem.as_json() for problem in problems],
    }
    if receptive_patches is not None and lowered is not None:
        numbers = receptive_field(lowered.graph, receptive_patches, options.numerics)
        document["receptive_field"] = numbers
    return document, code


def _add_lowered(rows: list[Json], lowered: Lowered, board: Board | None) -> None:
    _add_ram(rows, lowered)
    if board is not None:
        _add_predicted(rows, lowered)


def _of_graph(graph: Graph | None, rows: list[Json]) -> Json:
    """Borders and sizes of the whole, as far as the file could be read."""
    return {
        "inputs": [] if graph is None else [port(graph, v) for v in graph.inputs],
        "outputs": [] if graph is None else [port(graph, v) for v in graph.outputs],
        "ops": rows,
        "macs": None if graph is None else sum(row["macs"] for row in rows),
        "weights_bytes": None if graph is None else _constant_bytes(graph),
    }


def _notes(loaded: tuple[str, ...], lowered: Lowered | None) -> list[str]:
    """On how the file was read, and on what was compiled."""
    if lowered is None:
        return list(loaded)
    return [*lowered.program.notes, *loaded, *left_over(lowered.graph)]


def _listed(path: Path, data: bytes) -> list[Json]:
    """The operators as the file lists them, supported or not."""
    if path.suffix.lower() == ".onnx":
        from mcuc.frontends.onnx.listing import operators

        return [_row(index, op, name, (), "") for index, op, name in operators(path, data)]
    model = schema.read_model(Reader(data, str(path)))
    rows = []
    for index, operator in enumerate(model.operators):
        tensor = model.tensors[operator.outputs[0]] if operator.outputs else None
        types = schema.enum_names("TensorType")
        name, dtype = "", ""
        shape: tuple[int, ...] = ()
        if tensor is not None:
            name, shape = tensor.name, tuple(tensor.shape)
            dtype = types.get(tensor.type_code, "?").lower()
        rows.append(_row(index, schema.operator_name(operator), name, shape, dtype))
    return rows


def _row(index: int, op: str, name: str, shape: tuple[int, ...], dtype: str) -> Json:
    """An operator before anything is known of what it costs."""
    return {
        "index": index,
        "op": op,
        "name": name,
        "shape": list(shape),
        "dtype": dtype,
        "macs": None,
        "weights_bytes": None,
        "ram_bytes": None,
        "predicted": None,
        "kernels": [],
    }


def _measure(rows: list[Json], graph: Graph, numerics: str) -> None:
    """MACs and constants of each operator."""
    untold = {row["index"] for row in rows if not row["dtype"]}
    for row in rows:
        row["macs"], row["weights_bytes"] = 0, 0
    for node in graph.nodes:
        if node.loc.op_index is None:
            continue
        row = rows[node.loc.op_index]
        if row["index"] in untold:  # ONNX files need not say it: of the last node
            row["shape"] = list(graph.type(node.outputs[0]).shape)
            row["dtype"] = graph.type(node.outputs[0]).dtype.numpy.name
        row["macs"] += spec_of(node.op).macs(Site.of(graph, node, numerics))
        consts = {v: graph.values[v].const for v in node.inputs if v is not None}
        row["weights_bytes"] += sum(array.nbytes for array in consts.values() if array is not None)


def _add_ram(rows: list[Json], lowered: Lowered) -> None:
    """Bytes live while an operator runs; an operator that costs nothing at run time has none."""
    program = lowered.program
    for moment, segment in enumerate(program.segments):
        live = occupied_bytes(program.buffers, lowered.plan, moment)
        for step in (leaf for whole in segment.steps for leaf in whole.leaves):
            index = program.graph.nodes[step.node].loc.op_index
            if index is not None:
                rows[index]["ram_bytes"] = max(rows[index]["ram_bytes"] or 0, live)


def _add_predicted(rows: list[Json], lowered: Lowered) -> None:
    """Kernels of each operator, and the instructions that the cost model expects of them."""
    program = lowered.program
    for leaf in program.leaves():
        index = program.graph.nodes[leaf.node].loc.op_index
        if index is not None:
            row = rows[index]
            row["predicted"] = (row["predicted"] or 0) + predicted_of(leaf)
            if leaf.symbol not in row["kernels"]:
                row["kernels"].append(leaf.symbol)


def _sum(rows: list[Json], key: str) -> int | None:
    """The sum over the rows that have it; None if none has."""
    known = [row[key] for row in rows if row[key] is not None]
    return sum(known) if known else None


def _constant_bytes(graph: Graph) -> int:
    """Every constant that an operator reads, once."""
    used = {v for node in graph.nodes for v in node.inputs if v is not None}
    return sum(c.nbytes for v in used if (c := graph.values[v].const) is not None)
