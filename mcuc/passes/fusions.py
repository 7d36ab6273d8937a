"""The passes that put layers together which a float file holds in pieces, in order."""

from __future__ import annotations

from mcuc.passes.fuse_affine import FUSE_AFFINE
from mcuc.passes.fuse_gelu import FUSE_GELU
from mcuc.passes.fuse_layer_norm import FUSE_LAYER_NORM
from mcuc.passes.sink_reshape import SINK_RESHAPE
from mcuc.passes.spec import Pass

FUSIONS: tuple[Pass, ...] = (
    FUSE_LAYER_NORM,
    FUSE_GELU,
    SINK_RESHAPE,  # before what follows: a convolution over one axis has a reshape behind
    FUSE_AFFINE,  # a batch normalization is weights and a bias
)
