"""Small int8 networks as `.tflite` bytes, layer by layer."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import numpy as np

from mcuc.compiler.bench import build_bench, run_bench
from mcuc.compiler.compile import Compiled, compile_graph, load_model
from mcuc.compiler.options import Options
from mcuc.compiler.quantize import in_arithmetic
from mcuc.device.boards import load_board
from mcuc.device.tflite_oracle import run_tflite
from mcuc.inputs.vectors import random_vectors
from mcuc.ir.graph import Array
from mcuc.ops.interpret import run_reference
from tests.support.tflite_build import ModelBuilder

SCALE, ZERO_POINT = 0.05, -3


class Net:
    """Grows a network; every tensor is int8 with one scale and zero point, weights are random."""

    def __init__(self, seed: int = 0) -> None:
        self.model = ModelBuilder()
        self.shapes: dict[int, tuple[int, ...]] = {}
        self._scales: dict[int, list[float]] = {}  # of biases, by filter
        self._rng = np.random.default_rng(seed)

    def tensor(self, shape: Sequence[int], name: str | None = None) -> int:
        name = f"t{len(self.shapes)}" if name is None else name
        index = self.model.tensor(name, shape, "int8", scale=SCALE, zero_point=ZERO_POINT)
        self.shapes[index] = tuple(shape)
        return index

    def constant(self, shape: Sequence[int], name: str = "constant") -> int:
        """A constant activation."""
        data = self._rng.integers(-128, 128, shape, np.int8)
        index = self.model.const(name, data, scale=SCALE, zero_point=ZERO_POINT)
        self.shapes[index] = tuple(shape)
        return index

    def weights(self, shape: Sequence[int], axis: int = 0) -> int:
        """A filter with one scale per channel of `axis`."""
        data = self._rng.integers(-127, 128, shape, np.int8)
        scales = self._rng.uniform(0.002, 0.01, shape[axis])
        index = self.model.const("weights", data, scale=scales, quantized_dimension=axis)
        self._scales[index] = [SCALE * scale for scale in scales]
        return index

    def _bias(self, filter_: int) -> int:
        scales = self._scales[filter_]
        data = self._rng.integers(-5000, 5000, len(scales), np.int32)
        return self.model.const("bias", data, scale=scales)

    def conv(
        self, x: int, channels: int, kernel: int = 1, name: str | None = None, filter_: int = -1
    ) -> int:
        batch, height, width, depth = self.shapes[x]
        if filter_ < 0:
            filter_ = self.weights((channels, kernel, kernel, depth))
        y = self.tensor((batch, height, width, channels), name)
        operands, options = [x, filter_, self._bias(filter_)], {"stride_h": 1, "stride_w": 1}
        self.model.op("CONV_2D", operands, [y], options, version=3)
        return y

    def depthwise(self, x: int, kernel: int = 3) -> int:
        depth = self.shapes[x][3]
        options = {"stride_h": 1, "stride_w": 1, "depth_multiplier": 1}
        filter_ = self.weights((1, kernel, kernel, depth), axis=3)
        y = self.tensor(self.shapes[x])
        operands = [x, filter_, self._bias(filter_)]
        self.model.op("DEPTHWISE_CONV_2D", operands, [y], options, version=3)
        return y

    def add(self, a: int, b: int, name: str | None = None) -> int:
        y = self.tensor(self.shapes[a], name)
        self.model.op("ADD", [a, b], [y], {}, version=2)
        return y

    def relu(self, x: int, name: str | None = None) -> int:
        y = self.tensor(self.shapes[x], name)
        self.model.op("RELU", [x], [y], version=2)
        return y

    def max_pool(self, x: int) -> int:
        batch, height, width, depth = self.shapes[x]
        y = self.tensor((batch, height // 2, width // 2, depth))
        options = {"stride_h": 2, "stride_w": 2, "filter_height": 2, "filter_width": 2}
        self.model.op("MAX_POOL_2D", [x], [y], {**options, "padding": "VALID"}, version=2)
        return y

    def global_pool(self, x: int) -> int:
        batch, height, width, depth = self.shapes[x]
        y = self.tensor((batch, 1, 1, depth))
        options = {"stride_h": 1, "stride_w": 1, "filter_height": height, "filter_width": width}
        self.model.op("AVERAGE_POOL_2D", [x], [y], {**options, "padding": "VALID"}, version=2)
        return y

    def concat(self, parts: Sequence[int]) -> int:
        depth = sum(self.shapes[part][3] for part in parts)
        y = self.tensor((*self.shapes[parts[0]][:3], depth))
        self.model.op("CONCATENATION", list(parts), [y], {"axis": 3}, version=2)
        return y

    def build(self, inputs: Sequence[int], outputs: Sequence[int]) -> bytes:
        return self.model.build(inputs, outputs)


def compiled(data: bytes, name: str = "net", board: str = "qemu_m4") -> Compiled:
    """Compiles the bytes of a model; nothing is written."""
    path, options = Path(f"{name}.tflite"), Options(board=board, name=name)
    arithmetic = in_arithmetic(load_model(path, data, options), path, options)
    return compile_graph(path, data, arithmetic, load_board(board), options)


def check_together(
    made: Sequence[Compiled],
    folder: Path,
    boards: Sequence[str | None] = (None, "qemu_m4"),
    oracle: bool = True,
) -> None:
    """Reference, sanitized host and emulator agree with TFLite, all models in one program of each.

    Args:
        made: Models with different names.
        folder: For the builds.
        boards: None is the host.
        oracle: False for models that the interpreter does not take.
    """
    vectors = [random_vectors(m.lowered.source, 1) for m in made]
    wanted = []
    for m, inputs in zip(made, vectors, strict=True):
        outputs = [run_reference(m.lowered.source, vector) for vector in inputs]
        if oracle:
            assert_equal(run_tflite(m.model_bytes, inputs)[0], outputs[0], "TFLite")
        wanted.append(outputs[0])
    units = [m.unit for m in made]
    for number, name in enumerate(boards):
        board = None if name is None else load_board(name)
        bench = build_bench(units, folder / f"b{number}", board, sanitize=board is None)
        all_records = run_bench(bench, units, vectors)
        for unit, want, records in zip(units, wanted, all_records, strict=True):
            assert len(records) == 4
            for record in records:
                assert record.code == 0
                assert_equal(unit.decode(record.outputs), want, f"{unit.project.name} on {name}")


def assert_equal(got: Sequence[Array], want: Sequence[Array], what: str) -> None:
    """Equal in type, shape and every byte."""
    assert len(got) == len(want), what
    for i, (a, b) in enumerate(zip(got, want, strict=True)):
        assert a.dtype == b.dtype, what
        assert a.shape == b.shape, what
        assert a.tobytes() == np.ascontiguousarray(b).tobytes(), f"{what}: output {i} differs"


def residual(size: int = 7, channels: int = 5, seed: int = 0) -> bytes:
    """A convolution, then a depthwise one whose input is needed again by an addition behind it."""
    net = Net(seed)
    x = net.tensor((1, size, size, 3))
    y = net.conv(x, channels, 3)
    return net.build([x], [net.add(net.depthwise(y), y)])


def chain(length: int) -> bytes:
    """`length` cheap nodes, one after the other."""
    net = Net()
    x = y = net.tensor((1, 3, 3, 2))
    for i in range(length):
        y = net.relu(y) if i % 2 else net.add(y, x)
    return net.build([x], [y])


def dense(ways: int, size: int = 4, growth: int = 2) -> bytes:
    """Every convolution reads the concatenation of all maps before it."""
    net = Net()
    x = net.tensor((1, size, size, 3))
    maps = [x]
    while len(maps) < ways:
        joined = net.concat(maps) if len(maps) > 1 else x
        maps.append(net.conv(joined, growth))
    return net.build([x], [net.concat(maps)])
