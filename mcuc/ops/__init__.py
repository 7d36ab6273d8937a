"""The ops, one module each. The registry loads every module here that defines SPEC."""

from __future__ import annotations

import functools
import importlib
import pkgutil
from collections.abc import Mapping
from types import MappingProxyType

from mcuc.errors import InternalError
from mcuc.ops.spec import OpSpec


@functools.cache
def registry() -> Mapping[str, OpSpec]:
    """Op name -> OpSpec, for every module of this package that holds a `SPEC`."""
    specs: dict[str, OpSpec] = {}
    for info in pkgutil.iter_modules(__path__):
        spec = getattr(importlib.import_module(f"{__name__}.{info.name}"), "SPEC", None)
        if spec is None:
            continue
        if spec.name != info.name:
            raise InternalError("E901", f"op {spec.name!r} is defined in module {info.name!r}")
        specs[spec.name] = spec
    return MappingProxyType(specs)


def spec_of(op: str) -> OpSpec:
    """The spec of a registered op; KeyError otherwise."""
    return registry()[op]
