"""Depthwise convolutions on cores with Helium: what their kernel is given.

Twins: runtime_c/src/depthwise_conv2d/s8_s8_s8__mve_4x1.c, s8_s8_s8_k3__mve_8x1.c,
s8_s8_s8_k7__mve_4x1.c.
"""

from __future__ import annotations

import numpy as np

from mcuc.ir.program import Params
from mcuc.ops import convolution, depthwise_taps, mac_tables, mve_convolution, mve_tables
from mcuc.ops.convolution import INPUT, WEIGHTS, attrs_of
from mcuc.ops.spec import Site

_PLANE = 256  # MCUC_DEPTHWISE_MVE_PLANE
_CHANNELS = 8  # MCUC_DEPTHWISE_MVE_CHANNELS
_MAX_VECTORS = 4  # of weights: what registers hold
_BLOCK = 4  # outputs
# From how many output columns on sorting is worth it, by the kernel's height.
_MIN_COLUMNS = {3: 14, 5: 10}

_ROWS = 4  # MCUC_DEPTHWISE_MVE_ROWS
_COLUMN = 64  # MCUC_DEPTHWISE_MVE_COLUMN
_MAX_AREA = 2048  # bytes of the columns of four rows
_MIN_CHANNELS = 4  # from which on sorting is worth it


def suits(site: Site) -> bool:
    """Windows that registers hold, columns side by side, factors of the usual form."""
    kernel_h, kernel_w = convolution.kernel_size(site)
    return (
        kernel_h <= _height(kernel_h)
        and kernel_w * _height(kernel_h) <= _MAX_VECTORS * mve_tables.VECTOR
        and attrs_of(site).dilation[1] == 1
        and site.input(INPUT).shape[3] >= _CHANNELS
        and (
            site.output.shape[2] >= _MIN_COLUMNS.get(kernel_h, 1)
            or site.input(INPUT).shape[3] < mve_tables.BLOCK
        )
        and depthwise_taps.mac_scales(site) is not None
    )


def _height(kernel_h: int) -> int:
    """Bytes of a column: a power of two, so that blocks of outputs end within planes."""
    return next((h for h in (1, 2, 4) if h >= kernel_h), 8)


def pack(site: Site) -> Params:
    """Weights [1, kernel_h, kernel_w, channels]."""
    weights = site.const(WEIGHTS)
    _, kernel_h, kernel_w, channels = weights.shape
    height = _height(kernel_h)
    columns = np.zeros((channels, kernel_w, height), np.int8)
    columns[:, :, :kernel_h] = weights[0].transpose(2, 1, 0)
    flat = columns.reshape(channels, -1)
    size = mve_tables.whole(flat.shape[1])
    vectors = np.pad(flat, ((0, 0), (0, size - flat.shape[1])))
    scales = depthwise_taps.mac_scales(site)
    assert scales is not None
    fields = convolution.window_fields(site)
    fields.pop("dilation_w")
    return Params(
        "mcuc_depthwise_mve_params",
        "depthwise_conv2d/depthwise_mve.h",
        {
            "stream": np.concatenate(
                [mve_tables.of_one(scales), mve_tables.words(vectors)], axis=1
            ),
            "channels": channels,
            "height": height,
            "vectors": size // mve_tables.VECTOR,
            **fields,
            **mve_convolution.finish_fields(site),
        },
        (depthwise_taps.mac_proof(site),),
    )


def scratch(site: Site) -> int:
    """Bytes of the planes, and of what is read behind them: a block of windows, and a vector."""
    _, kernel_w = convolution.kernel_size(site)
    height = _height(convolution.kernel_size(site)[0])
    ahead = (_BLOCK - 1) * attrs_of(site).stride[1] * height
    return _PLANE * _CHANNELS + ahead + mve_tables.whole(kernel_w * height)


def suits_small(site: Site) -> bool:
    """Windows up to 4x4."""
    return max(convolution.kernel_size(site)) <= _ROWS and _suits_columns(site)


def suits_large(site: Site) -> bool:
    """Larger windows, up to 8x8."""
    return _ROWS < max(convolution.kernel_size(site)) <= 2 * _ROWS and _suits_columns(site)


def _suits_columns(site: Site) -> bool:
    """Columns side by side, strides of 1 or 2, factors of the usual form."""
    attrs = attrs_of(site)
    return (
        attrs.dilation[1] == 1
        and attrs.stride[1] in (1, 2)
        and site.input(INPUT).shape[3] >= _MIN_CHANNELS
        and depthwise_taps.mac_scales(site) is not None
    )


def pack_small(site: Site) -> Params:
    """Weights [1, kernel_h, kernel_w, channels], as vectors of four columns by four rows."""
    weights = site.const(WEIGHTS)
    _, kernel_h, kernel_w, channels = weights.shape
    pairs = _goes_in_pairs(site)
    vectors = np.zeros((channels, 1 + pairs, _ROWS, _ROWS), np.int8)
    for i in range(1 + pairs):
        vectors[:, i, i : i + kernel_w, :kernel_h] = weights[0].transpose(2, 1, 0)
    parts = [_ends(site), mve_tables.words(vectors)]
    return _params(site, np.concatenate(parts, axis=1), 1 + pairs)


def pack_large(site: Site) -> Params:
    """Weights as above, as words of rows 0 to 3 (A) and 4 to 7 (B) in the kernel's order."""
    weights = site.const(WEIGHTS)
    _, _, kernel_w, channels = weights.shape
    halves = np.zeros((2, channels, 2 * _ROWS, _ROWS), np.int8)
    for half in range(2):
        rows = weights[0, half * _ROWS : (half + 1) * _ROWS].transpose(2, 1, 0)
        halves[half, :, :kernel_w, : rows.shape[2]] = rows
    a, b = halves
    if kernel_w <= _ROWS + 1:
        none = np.zeros_like(a[:, :1])
        vectors = np.concatenate([a[:, :5], b[:, :3], none, b[:, 3:5], none], axis=1)
    else:
        vectors = np.concatenate([a, b], axis=1)
    parts = [mve_tables.words(vectors), _ends(site)]
    return _params(site, np.concatenate(parts, axis=1), vectors.shape[1] // _ROWS)


def _ends(site: Site) -> mac_tables.Words:
    scales = depthwise_taps.mac_scales(site)
    assert scales is not None
    return mve_tables.with_zero(scales)


def _params(site: Site, stream: mac_tables.Words, vectors: int) -> Params:
    fields = convolution.window_fields(site)
    fields.pop("dilation_w")
    return Params(
        "mcuc_depthwise_mve_columns",
        "depthwise_conv2d/depthwise_mve_columns.h",
        {
            "stream": stream,
            "channels": len(stream),
            "pairs": int(_goes_in_pairs(site)),
            "vectors": vectors,
            "outputs": _outputs(site),
            "area": _area(site, _outputs(site)),
            **fields,
            **mve_convolution.finish_fields(site),
        },
        (depthwise_taps.mac_proof(site),),
    )


def scratch_columns(site: Site) -> int:
    """Bytes of the columns that the outputs of a piece read, in fours."""
    return _areas(site) * _area(site, _outputs(site))


def _goes_in_pairs(site: Site) -> bool:
    """Whether four columns are the windows of two outputs."""
    return attrs_of(site).stride[1] == 1 and convolution.kernel_size(site)[1] < _ROWS


def _areas(site: Site) -> int:
    """Of four rows each."""
    return 1 + (max(convolution.kernel_size(site)) > _ROWS)


def _area(site: Site, outputs: int) -> int:
    """Bytes of the columns of four rows."""
    read = _ROWS if max(convolution.kernel_size(site)) <= _ROWS else 2 * _ROWS
    fours = -(-outputs // _BLOCK) * _BLOCK
    columns: int = (fours - 1) * attrs_of(site).stride[1] + read
    return columns * _COLUMN


def _outputs(site: Site) -> int:
    """Of a piece: a row in equal parts for which there is scratch, of whole blocks."""
    width, parts = site.output.shape[2], 1
    while _area(site, -(-width // parts)) > _MAX_AREA and parts < width:
        parts += 1
    if parts == 1:
        return width
    return min(-(-width // (parts * _BLOCK)) * _BLOCK, width)
