"""Inputs and outputs as the application sees them: names, types, quantization, addresses."""

from __future__ import annotations

from dataclasses import dataclass

from mcuc.ir.graph import Graph
from mcuc.ir.program import Port
from mcuc.ir.types import DType
from mcuc_codegen.literals import Names, comment, integer, real
from mcuc_codegen.tables import Tables


@dataclass(frozen=True)
class PortView:
    """One input or output in the header."""

    name: str
    macro: str
    label: str
    axes: str
    c_type: str
    dtype: str
    shape: tuple[int, ...]
    elements: int
    size_bytes: int
    region: int
    offset: int
    fixed: str
    outside: bool
    row_elements: int
    channels: int
    rows: int
    scale: str
    zero_point: str
    low: int
    high: int

    @property
    def quantized(self) -> bool:
        return bool(self.scale)


def port_views(
    ports: tuple[Port, ...], graph: Graph, tables: Tables, kind: str, prefix: str
) -> list[PortView]:
    """The ports of one kind ("input" or "output"); a lone one is just called by its kind."""
    names = Names()
    result = []
    for port in ports:
        value = graph.values[port.value]
        name = kind
        if len(ports) > 1:
            name = f"{kind}_{names.unique(value.name, kind)}"
        fixed, region, offset = "", 0, 0
        view = port.view
        outside = view.const is None and view.buffer is None and not view.state
        if port.view.const is not None:
            fixed = tables.array(port.view.const, f"constant {kind}")
        elif port.view.buffer is not None:
            region, offset = tables.place(port.view.buffer, port.view.offset)
        type_ = value.type
        quant = type_.quant if type_.dtype in (DType.S8, DType.U8, DType.S16) else None
        bounds = {DType.S8: (-128, 127), DType.U8: (0, 255), DType.S16: (-32768, 32767)}
        low, high = bounds.get(type_.dtype, (0, 0))
        result.append(
            PortView(
                name=name,
                macro=f"{prefix}_{name}".upper(),
                label=comment(value.name),
                axes=value.axes,
                c_type=type_.dtype.c_type,
                dtype=type_.dtype.value,
                shape=type_.shape,
                elements=type_.elements,
                size_bytes=type_.size_bytes,
                region=region,
                offset=offset,
                fixed=fixed,
                outside=outside,
                rows=type_.nhwc[1],
                row_elements=type_.nhwc[2] * type_.nhwc[3],
                channels=type_.nhwc[3],
                scale="" if quant is None else real(quant.scale),
                zero_point="0" if quant is None else integer(quant.zero_point),
                low=low,
                high=high,
            )
        )
    return result
