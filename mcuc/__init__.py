"""mcuc: neural network files to verified C firmware for microcontrollers.

The public Python interface is `mcuc.compile`; it is loaded on first use so that importing the
package (and `mcuc --help`) stays fast.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from mcuc.version import __version__

if TYPE_CHECKING:
    from mcuc.compiler.compile import compile_model as compile

__all__ = ["__version__", "compile"]


def __getattr__(name: str) -> Any:
    if name == "compile":
        import importlib

        return importlib.import_module("mcuc.compiler.compile").compile_model
    raise AttributeError(f"module 'mcuc' has no attribute {name!r}")
