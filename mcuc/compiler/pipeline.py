"""The compiler on one screen: passes and stages in order, each with its reason.

Before it the file is read (mcuc/frontends), after it C, firmware and report are made; compile.py
calls all of them in order. A map of the whole is in docs/architecture.md.
"""

from __future__ import annotations

import dataclasses
import logging
from dataclasses import dataclass

from mcuc.compiler.choose import Chosen, choose
from mcuc.compiler.options import Options
from mcuc.errors import InternalError, McucError, MemoryBudgetError
from mcuc.ir.graph import Graph
from mcuc.ir.program import Program
from mcuc.ir.target import Target
from mcuc.passes.center_weights import CENTER_WEIGHTS
from mcuc.passes.flatten import flatten_pass
from mcuc.passes.fold_constants import fold_constants_pass
from mcuc.passes.fuse_dilation import FUSE_DILATION
from mcuc.passes.fuse_pad import FUSE_PAD
from mcuc.passes.fusions import FUSIONS
from mcuc.passes.layout import layout_pass
from mcuc.passes.merge_duplicates import MERGE_DUPLICATES
from mcuc.passes.permute_units import PERMUTE_UNITS
from mcuc.passes.positive_scales import POSITIVE_SCALES
from mcuc.passes.remove_channels import remove_channels_pass
from mcuc.passes.remove_dead_nodes import REMOVE_DEAD_NODES
from mcuc.passes.remove_identities import remove_identities_pass
from mcuc.passes.slide import slide_pass
from mcuc.passes.small_factors import SMALL_FACTORS
from mcuc.passes.spec import Pass
from mcuc.passes.stream_input import STREAM_INPUT
from mcuc.passes.stream_output import STREAM_OUTPUT
from mcuc.passes.strip_io_quantize import STRIP_IO_QUANTIZE
from mcuc.passes.transpose_to_reshape import TRANSPOSE_TO_RESHAPE
from mcuc.passes.verify import verify_graph
from mcuc.plan.problem import MemoryPlan
from mcuc.quant.fuse_activation import fuse_activation
from mcuc.schedule.order import reorder

FUSE_ACTIVATION = Pass("fuse-activation", fuse_activation, "exact")
log = logging.getLogger(__name__)


def passes(options: Options) -> list[Pass]:
    """Graph -> Graph, in order. A new pass is a module of mcuc/passes and a line here."""
    outside = options.input_mode in ("streamed", "random")
    sliding = [slide_pass(options.sliding, options.numerics)] if options.sliding else []
    stripped = [STRIP_IO_QUANTIZE] if options.io == "quantized" else []
    return [
        *stripped,  # first: what follows sees the border that the user asked for
        REMOVE_DEAD_NODES,  # what no output needs is not compiled
        fold_constants_pass(options.numerics),  # nodes over constants alone are computed here
        FUSE_DILATION,  # before its operators are torn apart
        layout_pass(options.io_layout),  # NCHW files: transpositions move until they cancel
        PERMUTE_UNITS,  # what a matrix product can give in another order
        *FUSIONS,  # layers that a float file holds in pieces
        FUSE_ACTIVATION,  # what clamps a sum is done where the sum is made
        TRANSPOSE_TO_RESHAPE,  # a transpose that moves only axes of size 1 costs nothing
        CENTER_WEIGHTS,  # weights without a zero point suit the fast kernels
        FUSE_PAD,  # a convolution pads for free
        MERGE_DUPLICATES,  # what is computed twice is computed once
        remove_identities_pass(options.numerics),  # what changes nothing
        POSITIVE_SCALES,  # fast kernels want factors that are not negative
        SMALL_FACTORS,  # and below 1
        remove_channels_pass(options.numerics),  # constants, and what nothing depends on
        flatten_pass(options.numerics),  # a flattened map is read row by row
        REMOVE_DEAD_NODES,  # what the passes above left behind
        *sliding,  # only the new rows of a window are computed
        *([STREAM_INPUT] if outside else []),  # rows of the input get a place to stay
        *([STREAM_OUTPUT] if options.output_mode == "rows" else []),  # and those of the output none
        Pass("reorder", reorder, "exact"),  # branches in the order that needs the least memory
    ]


@dataclass(frozen=True)
class Lowered:
    """A compiled program with its memory plan.

    Attributes:
        source: The graph as loaded.
        graph: The graph after the passes.
        chosen: Its schedule, program and plan.
        whole: What the outputs mean: the graph that is run, or where a window slides, the one
            before the new rows were told from the old.
    """

    source: Graph
    graph: Graph
    chosen: Chosen
    whole: Graph

    @property
    def program(self) -> Program:
        return self.chosen.program

    @property
    def plan(self) -> MemoryPlan:
        return self.chosen.plan


def prepare(graph: Graph, options: Options) -> Graph:
    """The graph after all passes; verified after each one."""
    verify_graph(graph, options.numerics)
    for step in passes(options):
        try:
            graph = step.fn(graph)
        except McucError:
            raise
        except Exception as error:
            raise InternalError("E904", f"pass {step.name} failed", why=repr(error)) from error
        verify_graph(graph, options.numerics)
        log.info("%s: %d nodes", step.name, len(graph.nodes))
    return graph


def lower_and_plan(graph: Graph, target: Target, options: Options) -> Lowered:
    """Everything between the loaded graph and C."""
    prepared = prepare(graph, options)
    whole = prepared
    if options.sliding:
        whole = prepare(graph, dataclasses.replace(options, sliding=None))
    if options.sram_bytes is not None:
        target = limited(target, options.sram_bytes)
    internal = tuple(region for region in target.regions if not region.external)
    if 0 < len(internal) < len(target.regions):  # external memory: if no schedule does without
        try:
            inside = dataclasses.replace(target, regions=internal)
            return Lowered(graph, prepared, choose(prepared, inside, options), whole)
        except MemoryBudgetError as error:
            log.warning("external memory is needed: %s", error.what)
    return Lowered(graph, prepared, choose(prepared, target, options), whole)


def limited(target: Target, sram_bytes: int) -> Target:
    """The target with no more RAM in total than given, regions cut from the last."""
    regions = []
    left = sram_bytes
    for region in target.regions:
        size = min(region.size_bytes, left)
        left -= size
        if size:
            regions.append(dataclasses.replace(region, size_bytes=size))
    return dataclasses.replace(target, regions=tuple(regions))
