"""From the bytes of an `.onnx` file to a checked graph of nodes: parsed, inlined, with its tensors.

Nothing in a file is believed: sizes are compared with the bytes that are there before an array is
made, external data must lie inside the model's folder, and what mcuc has no meaning for (sequences,
strings, control flow) is named. Local functions, of which PyTorch's exporter makes models, are
inlined by the `onnx` package.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np

from mcuc.errors import Loc, McucError, ModelError, raise_all
from mcuc.ir.graph import Array

# Of one tensor, and of all constants together: what no microcontroller's flash holds.
MAX_BYTES = 1 << 28
OLDEST, STANDARD = 7, ("", "ai.onnx")
_MOST_NODES = 20_000
_MOST_PROBLEMS = 1000


@dataclass(frozen=True)
class Model:
    """A parsed model.

    Attributes:
        file: For messages.
        graph: The main graph, a `GraphProto`.
        opset: Version of the standard operators.
        tensors: Initializers by name.
        imports: Versions of all domains, for the evaluation of constants.
    """

    file: str
    graph: Any
    opset: int
    tensors: dict[str, Array] = field(default_factory=dict)
    imports: tuple[tuple[str, int], ...] = ()


def read_proto(path: Path, data: bytes) -> Model:
    """Parses and checks.

    Raises:
        McucError: E101 damaged, E103 control flow, E105 sizes, E106 operator set, E110 types.
    """
    name = str(path)
    model = parse(path, data)
    tensors, problems = _tensors(model.graph, path)
    problems += _control_flow(model.graph, name)
    raise_all(problems[:_MOST_PROBLEMS])
    imports = tuple((entry.domain, entry.version) for entry in model.opset_import)
    return Model(name, model.graph, _opset(model, name), tensors, imports)


def parse(path: Path, data: bytes) -> Any:
    """The `ModelProto`, local functions inlined.

    Raises:
        ModelError: E101, E106, E117.
    """
    import onnx
    from google.protobuf.message import DecodeError

    name = str(path)
    model = onnx.ModelProto()
    try:
        model.ParseFromString(data)
    except (DecodeError, RecursionError, ValueError, MemoryError) as error:
        raise _damaged(name, "it is no protocol buffer of a model", str(error)) from None
    if not model.HasField("graph") or not model.graph.output:
        raise _damaged(name, "it holds no graph with an output")
    if len(model.graph.node) > _MOST_NODES:
        raise ModelError("E117", f"the model has {len(model.graph.node):,} nodes", loc=Loc(name))
    _opset(model, name)
    return _inlined(model, name) if model.functions else model


def _damaged(name: str, what: str, why: str = "") -> ModelError:
    return ModelError(
        "E101",
        f"{name} is not a usable .onnx file: {what}",
        loc=Loc(name),
        why=why,
        help="the file may be truncated; export or copy it again",
    )


def _opset(model: Any, name: str) -> int:
    import onnx

    found = [entry.version for entry in model.opset_import if entry.domain in STANDARD]
    if not found:
        raise _damaged(name, "it names no version of the standard operators")
    newest = onnx.defs.onnx_opset_version()
    if not OLDEST <= found[0] <= newest:
        raise ModelError(
            "E106",
            f"the model is of operator set {found[0]}; {OLDEST} to {newest} are supported",
            loc=Loc(name),
            help="export it again with a supported opset_version",
        )
    return int(found[0])


def _inlined(model: Any, name: str) -> Any:
    from onnx import inliner

    count = _nodes_when_inlined(model, name)
    if count > _MOST_NODES:
        what = f"the model has {count:,} nodes when its local functions are inlined"
        raise ModelError("E117", what, loc=Loc(name))
    try:
        return inliner.inline_local_functions(model)
    except Exception as error:  # the inliner raises what its C++ does
        raise _damaged(name, "its local functions cannot be inlined", str(error)[:500]) from None


def _nodes_when_inlined(model: Any, name: str) -> int:
    """How many nodes there will be: a short file may hold functions that call others twice each.

    Raises:
        McucError: E101 a function calls itself, E103 control flow in what is called.
    """
    bodies = {(f.domain, f.name): f for f in model.functions}
    main = ("", "")
    bodies[main] = model.graph
    calls = {
        caller: [k for n in body.node if (k := (n.domain, n.op_type)) in bodies and k != main]
        for caller, body in bodies.items()
    }
    counts: dict[tuple[str, str], int] = {}
    path = {main: iter(calls[main])}  # from the graph down to what is counted now
    problems: list[McucError] = []
    while path:
        caller = next(reversed(path))
        called = next((k for k in path[caller] if k not in counts), None)
        if called is None:
            del path[caller]
            problems += _control_flow(bodies[caller], name)
            own = len(bodies[caller].node) - len(calls[caller])
            counts[caller] = own + sum(counts[k] for k in calls[caller])
        elif called in path:
            raise _damaged(name, f"its local function {called[1]} calls itself")
        else:
            path[called] = iter(calls[called])
    raise_all(problems[:_MOST_PROBLEMS])
    return counts[main]


def _tensors(graph: Any, path: Path) -> tuple[dict[str, Array], list[McucError]]:
    """The initializers."""
    tensors: dict[str, Array] = {}
    problems: list[McucError] = []
    total = 0
    for proto in graph.initializer:
        loc = Loc(str(path), tensor=proto.name)
        try:
            tensors[proto.name] = array_of(proto, path, loc)
        except ModelError as problem:
            problems.append(problem)
            continue
        total += tensors[proto.name].nbytes
    if total > MAX_BYTES:
        what = f"the constants take {total:,} bytes"
        problems.append(ModelError("E117", what, loc=Loc(str(path))))
    for sparse in graph.sparse_initializer:
        loc = Loc(str(path), tensor=sparse.values.name)
        problems.append(ModelError("E110", "the constant is stored as a sparse tensor", loc=loc))
    return tensors, problems


def array_of(proto: Any, path: Path, loc: Loc) -> Array:
    """The numbers of a `TensorProto`; bfloat16 and the like have no counterpart here.

    Raises:
        ModelError: E101 sizes that do not fit, E105 too large, E108 external data, E110 type.
    """
    from onnx import TensorProto, helper, numpy_helper

    dims = tuple(proto.dims)
    known = TensorProto.DataType.DESCRIPTOR.values_by_number
    kind = known[proto.data_type].name if proto.data_type in known else str(proto.data_type)
    if kind not in _KINDS:
        raise ModelError("E110", f"the constant is of the type {kind}", loc=loc)
    if any(size < 0 for size in dims) or proto.HasField("segment"):
        raise ModelError("E101", f"the constant has the shape {dims}", loc=loc)
    dtype = np.dtype(helper.tensor_dtype_to_np_dtype(proto.data_type))
    size = math.prod(dims) * dtype.itemsize
    if size > MAX_BYTES:
        raise ModelError(
            "E105", f"the constant of shape {dims} takes {size:,} bytes", loc=loc,
            why=f"constants of up to {MAX_BYTES:,} bytes are read",
        )  # fmt: skip
    if proto.data_location == TensorProto.EXTERNAL:
        raw = _external(proto, path, loc, size)
        return np.frombuffer(raw, dtype.newbyteorder("<")).astype(dtype).reshape(dims)
    if proto.HasField("raw_data") and len(proto.raw_data) != size:
        what = f"the constant of shape {dims} has {len(proto.raw_data):,} bytes, not {size:,}"
        raise ModelError("E101", what, loc=loc)
    try:
        return np.ascontiguousarray(numpy_helper.to_array(proto)).reshape(dims)
    except Exception as error:
        what = f"the constant of shape {dims} has not as many elements"
        raise ModelError("E101", what, loc=loc, why=str(error)[:200]) from None


_KINDS = (
    *("FLOAT", "DOUBLE", "FLOAT16", "BOOL"),
    *("INT8", "UINT8", "INT16", "UINT16", "INT32", "UINT32", "INT64", "UINT64"),
)


def _external(proto: Any, path: Path, loc: Loc, size: int) -> bytes:
    """Data of a tensor that stand in another file of the model's folder."""
    entries = {entry.key: entry.value for entry in proto.external_data}
    place = entries.get("location", "")
    folder = path.parent.resolve()
    try:
        file = (folder / place).resolve()
        offset, length = int(entries.get("offset", 0)), int(entries.get("length", size))
        inside = bool(place) and file.is_relative_to(folder) and file.is_file()
        if not inside or Path(place).is_absolute():
            raise ModelError(
                "E108", f"the data of the constant should be in {place!r}", loc=loc,
                why="there is no such file in the folder of the model",
                help="keep the file of weights beside the model",
            )  # fmt: skip
        if offset < 0 or length != size or offset + length > file.stat().st_size:
            what = f"the constant wants {size:,} bytes at {offset:,} of {place!r}"
            raise ModelError("E101", what, loc=loc, why="they are not there")
        with file.open("rb") as stream:
            stream.seek(offset)
            return bytes(stream.read(length))
    except (OSError, ValueError) as error:
        what = f"the data of the constant in {place!r} cannot be read"
        raise ModelError("E108", what, loc=loc, why=str(error)[:200]) from None


def _control_flow(graph: Any, name: str) -> list[McucError]:
    """A problem for each node with a graph inside."""
    return [
        ModelError(
            "E103",
            f"{node.op_type} is control flow",
            loc=loc_of(name, index, node),
            why="schedule and memory are planned for one fixed sequence of operators",
            help="export the model without control flow",
        )
        for index, node in enumerate(graph.node)
        if any(_has_graph(attribute) for attribute in node.attribute)
    ]


def _has_graph(attribute: Any) -> bool:
    return attribute.HasField("g") or len(attribute.graphs) > 0


def loc_of(file: str, index: int, node: Any) -> Loc:
    """Where a node stands."""
    name = node.name or (node.output[0] if node.output else "")
    return Loc(file, index, operator_name(node), name)


def operator_name(node: Any) -> str:
    """Its type, with the domain unless that is the standard one."""
    return str(node.op_type if node.domain in STANDARD else f"{node.domain}.{node.op_type}")


def live(graph: Any) -> list[tuple[int, Any]]:
    """Index and node of what the outputs depend on, each behind what it reads.

    That is the file's order where it is a valid one; nodes of a cycle come in the file's order.
    """
    makers = {name: i for i, node in enumerate(graph.node) for name in node.output if name}
    order: list[int] = []
    seen: set[int] = set()
    pending = [(makers[output.name], False) for output in reversed(graph.output)
               if output.name in makers]  # fmt: skip
    while pending:
        index, ready = pending.pop()
        if ready:
            order.append(index)
        elif index not in seen:
            seen.add(index)
            pending.append((index, True))
            sources = {makers[name] for name in graph.node[index].input if name in makers}
            pending += [(i, False) for i in sorted(sources - seen, reverse=True)]
    if _is_sorted(graph, seen, makers):
        order = sorted(seen)
    return [(index, graph.node[index]) for index in order]


def _is_sorted(graph: Any, kept: set[int], makers: dict[str, int]) -> bool:
    return all(makers.get(name, -1) < i for i in kept for name in graph.node[i].input)
