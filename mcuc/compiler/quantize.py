"""In which arithmetic a loaded model is compiled: as stored, folded from QDQ, or quantized here."""

from __future__ import annotations

import logging
from dataclasses import dataclass, replace
from fnmatch import fnmatchcase
from pathlib import Path

from mcuc.compiler.options import Options, usage
from mcuc.errors import McucError, QuantError, raise_all
from mcuc.frontends.loaded import Loaded
from mcuc.inputs.samples import RANDOM, Scaling, load_samples
from mcuc.ir.graph import Graph
from mcuc.ir.types import DType
from mcuc.passes.fold_constants import fold_constants
from mcuc.passes.fuse_pad import fuse_pad
from mcuc.passes.fusions import FUSIONS
from mcuc.passes.layout import layout_pass
from mcuc.passes.merge_duplicates import merge_duplicates
from mcuc.passes.remove_dead_nodes import remove_dead_nodes
from mcuc.passes.transpose_to_reshape import transpose_to_reshape
from mcuc.passes.verify import verify_graph
from mcuc.quant.fold_qdq import fold_qdq, has_qdq
from mcuc.quant.fuse_activation import fuse_activation
from mcuc.quant.hybrid import with_float_weights
from mcuc.quant.measure import Json, Layer, measure_layers
from mcuc.quant.ptq import Quantized, apply_recipe, make_recipe
from mcuc.quant.recipe import Recipe, fingerprint
from mcuc.quant.reciprocal import multiply_by_reciprocals
from mcuc.quant.rules import rule_of
from mcuc.quant.runtime import Samples, spread

log = logging.getLogger(__name__)

RECIPE = "quantization.json"


@dataclass(frozen=True)
class Arithmetic:
    """A model in the arithmetic that it is compiled in.

    Attributes:
        graph: To be compiled.
        notes: For the report.
        quantized: What was done to a float model; None: it stayed as it was.
        layers: What that cost; empty where nothing was measured.
        document: Of the report and of RECIPE; None: nothing was quantized.
    """

    graph: Graph
    notes: tuple[str, ...] = ()
    quantized: Quantized | None = None
    layers: tuple[Layer, ...] = ()
    document: Json | None = None


def in_arithmetic(
    loaded: Loaded, path: Path, options: Options, stored: Json | None = None
) -> Arithmetic:
    """The model as the options ask for.

    Args:
        loaded: As read from the file.
        path: Of its file.
        options: precision, calibration and what belongs to it.
        stored: The contents of RECIPE from an earlier compilation with the same options: samples
            are not needed then.

    Raises:
        QuantError: E212 a float ONNX model without a decision, E213 no samples.
    """
    made = _in_arithmetic(loaded.graph, path, options, stored)
    return replace(made, notes=(*loaded.notes, *made.notes))


def _in_arithmetic(graph: Graph, path: Path, options: Options, stored: Json | None) -> Arithmetic:
    if has_qdq(graph):
        return _from_qdq(graph, options)
    if not is_float(graph):
        return Arithmetic(graph, _ignored(options, "it is quantized"))
    wanted = options.precision
    if wanted == "auto":
        wanted = "int8" if options.calibration else "stored"
    if wanted == "stored" and path.suffix.lower() == ".onnx":
        raise QuantError(
            "E212",
            f"{path.name} is a float model, and nothing says how it is to be computed",
            why="on most microcontrollers int8 is several times smaller and faster than float32",
            help="give --calibration DATA for int8, or --precision float32",
        )
    if wanted in ("stored", "float32"):
        if not options.calibration:
            return Arithmetic(graph)
        return Arithmetic(graph, _ignored(options, "float32 was asked for"))
    return _quantized(graph, options, wanted, stored)


def is_float(graph: Graph) -> bool:
    """Whether a model computes in float32 and nowhere on integers; its weights may be int8."""
    ruled = [node for node in graph.nodes if rule_of(node) is not None]
    return bool(ruled) and all(graph.type(n.outputs[0]).dtype is DType.F32 for n in ruled)


def _ignored(options: Options, reason: str) -> tuple[str, ...]:
    """The note about options that a model has no use for."""
    given = [f"--precision {options.precision}"] if options.precision != "auto" else []
    given += ["--calibration"] if options.calibration else []
    given += ["--layer-precision"] if options.layer_precision else []
    return tuple(f"{option} is ignored: {reason}" for option in given)


def _from_qdq(graph: Graph, options: Options) -> Arithmetic:
    if options.precision == "float32":
        return Arithmetic(graph)  # as stored: its pairs round numbers of float32
    notes = _ignored(options, "the model holds its own scales")
    folded = fold_qdq(layout_pass().fn(remove_dead_nodes(graph)), options.numerics)
    verify_graph(folded.graph, options.numerics)
    islands = _islands(folded.graph, folded.floats)
    return Arithmetic(folded.graph, (*notes, *islands))


def _islands(graph: Graph, floats: object) -> tuple[str, ...]:
    assert isinstance(floats, dict)
    found = [
        f"computed in float32: {node.loc.op or node.op} {node.loc.tensor!r}: {floats[v]}"
        for node in graph.nodes
        for v in node.outputs
        if v in floats
    ]
    most = 20
    return (*found[:most], *([f"... and {len(found) - most} more"] if len(found) > most else []))


def prepared(graph: Graph, numerics: str) -> Graph:
    """A float graph as it is calibrated: one node per layer, nothing that is known already."""
    for step in (
        remove_dead_nodes,
        lambda g: fold_constants(g, numerics),
        layout_pass().fn,
        *(step.fn for step in FUSIONS),
        transpose_to_reshape,
        fuse_pad,
        multiply_by_reciprocals,
        fuse_activation,
        merge_duplicates,
        remove_dead_nodes,
    ):
        graph = step(graph)
    verify_graph(graph, numerics)
    return graph


def _quantized(graph: Graph, options: Options, precision: str, stored: Json | None) -> Arithmetic:
    source = prepared(with_float_weights(graph), options.numerics)
    if stored is not None:
        recipe = Recipe.from_json(stored.get("recipe", {}))
        if recipe.graph == fingerprint(source):  # else it was written by another version
            made = _applied(source, recipe, options.numerics)
            return _arithmetic(made, options, (), stored)
    if not options.calibration:
        raise QuantError(
            "E213",
            f"--precision {precision} needs samples to take ranges from",
            help="give --calibration with an .npz, an .npy or a folder of images; "
            f"--calibration {RANDOM} makes ranges up, and the results cannot be trusted",
        )
    samples = calibration_samples(source, options)
    recipe = make_recipe(
        source,
        samples,
        precision=precision,
        method=options.calibration_method,
        layers=_layers(source, options.layer_precision),
        auto_precision=options.auto_precision,
        numerics=options.numerics,
    )
    made = _applied(source, recipe, options.numerics)
    layers = tuple(measure_layers(made, spread(samples), options.numerics))
    return _arithmetic(made, options, layers, None)


def _layers(source: Graph, asked: tuple[tuple[str, str], ...]) -> dict[int, str]:
    """What is asked for, by node; of patterns that fit both, the last counts.

    Raises:
        McucErrors: E109 for each pattern that fits no layer.
    """
    found: dict[int, str] = {}
    problems: list[McucError] = []
    for pattern, kind in asked:
        fitting = [i for i, n in enumerate(source.nodes) if fnmatchcase(n.loc.tensor, pattern)]
        found.update(dict.fromkeys(fitting, kind))
        if not fitting:
            what = f"no layer is named {pattern!r}; `mcuc quantize --report` shows the names"
            problems.append(usage("layer-precision", what))
    raise_all(problems)
    return found


def calibration_samples(source: Graph, options: Options) -> Samples:
    """The samples that the options name."""
    scaling = Scaling(options.calibration_mean, options.calibration_std)
    return load_samples(options.calibration, source, scaling)


def _applied(source: Graph, recipe: Recipe, numerics: str) -> Quantized:
    made = apply_recipe(source, recipe, numerics)
    verify_graph(made.graph, numerics)
    return made


def _arithmetic(
    made: Quantized, options: Options, layers: tuple[Layer, ...], stored: Json | None
) -> Arithmetic:
    notes = list(_islands(made.graph, dict(made.floats)))
    if options.calibration == RANDOM:
        notes.insert(0, "ranges are made up (--calibration random): do not trust the outputs")
        log.warning("%s", notes[0])
    document = stored or {
        **summary(made, layers),
        "layers": [layer.as_json() for layer in layers],
        "recipe": made.recipe.as_json(),
    }
    return Arithmetic(made.graph, tuple(notes), made, layers, document)


def summary(made: Quantized, layers: tuple[Layer, ...]) -> Json:
    """The figures of the whole model."""
    worst = [layer.sqnr_db for layer in layers if layer.is_output]
    return {
        "precision": made.recipe.precision,
        "method": made.recipe.method,
        "samples": made.recipe.samples,
        "equalized_layers": len(made.recipe.equalization),
        "corrected_layers": len(made.recipe.corrections),
        "float_layers": len(made.floats),
        "int16_layers": sum(layer.activation_bits == 16 for layer in layers),
        "output_sqnr_db": round(min(worst), 2) if worst else None,
    }


def quantization_figures(arithmetic: Arithmetic) -> Json | None:
    """The report's `quantization`: the document without the recipe."""
    if arithmetic.document is None:
        return None
    return {key: value for key, value in arithmetic.document.items() if key != "recipe"}
