"""What an op and a kernel are: the records that every module of mcuc.ops fills in."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from mcuc.errors import Loc, ModelError
from mcuc.ir.graph import Array, Graph, Node
from mcuc.ir.program import Box, Form, Params, Window
from mcuc.ir.target import Target
from mcuc.ir.types import DType, TensorType

Hwc = tuple[int, int, int]
NUMERICS = ("litert-2.3", "tflm")


@dataclass(frozen=True)
class Site:
    """One node with its types and constants: all that an op or a kernel may look at.

    Attributes:
        attrs: The op's own Attrs.
        inputs: Operand types by position; None where absent.
        outputs: Result types.
        consts: Operand data by position; None for run-time operands.
        numerics: Rule set, one of NUMERICS.
        loc: Where the node came from.
    """

    attrs: object
    inputs: tuple[TensorType | None, ...]
    outputs: tuple[TensorType, ...]
    consts: tuple[Array | None, ...]
    numerics: str = NUMERICS[0]
    loc: Loc = Loc()

    @classmethod
    def of(cls, graph: Graph, node: Node, numerics: str = NUMERICS[0]) -> Site:
        return cls(
            attrs=node.attrs,
            inputs=graph.operand_types(node),
            outputs=graph.output_types(node),
            consts=graph.operand_consts(node),
            numerics=numerics,
            loc=node.loc,
        )

    def input(self, position: int = 0) -> TensorType:
        """The type of an operand that must be there."""
        operand = self.inputs[position]
        if operand is None:
            raise self.error("E112", f"operand {position} is missing")
        return operand

    def const(self, position: int) -> Array:
        """The data of an operand that must be constant."""
        data = self.consts[position]
        if data is None:
            raise self.error(
                "E113",
                f"operand {position} must be a constant",
                help="export the model with this tensor stored in the file",
            )
        return data

    @property
    def output(self) -> TensorType:
        return self.outputs[0]

    def error(self, code: str, what: str, why: str = "", help: str = "") -> ModelError:
        """A ModelError that points at this node."""
        return ModelError(code, what, loc=self.loc, why=why, help=help)


@dataclass(frozen=True)
class Kernel:
    """One C kernel of an op (docs/adding-an-op.md, "Kernels").

    Attributes:
        symbol: C function; `mcuc_<op>_<in>_<w>_<out>[_<qual>]__<isa>[_<tile>]`.
        source: File below runtime_c/src.
        form: Form of its calls.
        when: Whether it may be used for a site on a target: the only place where its constraints
            stand.
        pack: Constants as the kernel reads them.
        window: Geometry, for window and fold forms.
        operands: Positions of the run-time operands it reads.
        inplace: Positions of operands whose memory the output may take over, element by element.
        scratch: Bytes that a call needs.
        acc_bytes: Fold form: bytes of accumulators.
        layouts: Row layouts it accepts and writes.
        post: Row epilogues that it can fuse.
        cost: Predicted instructions on a target.
    """

    symbol: str
    source: str
    form: Form
    when: Callable[[Site, Target], bool]
    pack: Callable[[Site], Params]
    window: Callable[[Site], Window] | None = None
    operands: tuple[int, ...] = (0,)
    inplace: tuple[int, ...] = ()
    scratch: Callable[[Site], int] | None = None
    acc_bytes: Callable[[Site], int] | None = None
    layouts: tuple[str, ...] = ("hwc",)
    post: tuple[str, ...] = ()
    cost: Callable[[Site, Target], int] | None = None


@dataclass(frozen=True)
class OperandSpec:
    """An operand as documented in the support matrix.

    Attributes:
        name: For messages.
        dtypes: Accepted element types.
        const: Must be stored in the file.
        optional: May be absent.
    """

    name: str
    dtypes: tuple[DType, ...]
    const: bool = False
    optional: bool = False


@dataclass(frozen=True)
class Canonical:
    """The [H, W, C] shapes that regions, views and kernels of a node use.

    Attributes:
        batch: How many times the node is executed, on consecutive [H, W, C] slices.
        inputs: By operand position; (0, 0, 0) for absent operands.
        output: Of the (first) result.
        batched: By operand position: has a slice per batch element (else it is shared by all).
    """

    batch: int
    inputs: tuple[Hwc, ...]
    output: Hwc
    batched: tuple[bool, ...]


def canonical(site: Site) -> Canonical:
    """The default: NHWC with N as the batch; an operand with another N is shared."""
    batch = site.output.nhwc[0]
    shapes = tuple((1, 0, 0, 0) if t is None else t.nhwc for t in site.inputs)
    return Canonical(
        batch=batch,
        inputs=tuple(s[1:] for s in shapes),
        output=site.output.nhwc[1:],
        batched=tuple(s[0] == batch for s in shapes),
    )


@dataclass(frozen=True)
class OpSpec:
    """Everything the compiler knows of one op.

    Attributes:
        name: Registry name = module name.
        doc: One sentence for the support matrix.
        Attrs: The frozen dataclass of attributes.
        operands: Operand records by position. A trailing operand is repeated when `variadic`.
        infer: Result types from a site whose output types may be placeholders; raises ModelError
            for what is not supported, with the reason. Checks operand types, quantization, ranges.
        ref: Exact reference: operand arrays -> result arrays, shaped and typed as the graph's.
        macs: Multiply-accumulates of the op as a model counts them.
        region: Input boxes that an output box needs, by operand position, in canonical
            coordinates; None for an operand that is not needed or constant.
        kernels: Best first; the last always applies where `infer` accepts.
        canonical: [H, W, C] shapes that views, regions and kernels use, and the batch is apart.
        alias: The output is the input's memory seen with another shape (reshape).
        variadic: Any number of operands; its kernels read them all.
    """

    name: str
    doc: str
    Attrs: type
    operands: tuple[OperandSpec, ...]
    infer: Callable[[Site], tuple[TensorType, ...]]
    ref: Callable[..., tuple[Array, ...]]
    macs: Callable[[Site], int]
    region: Callable[[Site, Box], tuple[Box | None, ...]]
    kernels: tuple[Kernel, ...]
    canonical: Callable[[Site], Canonical] = canonical
    alias: bool = False
    variadic: bool = False


def always(site: Site, target: Target) -> bool:
    """The `when` of a kernel without constraints."""
    return True


def no_macs(site: Site) -> int:
    """The `macs` of an op that multiplies nothing."""
    return 0
