"""Markers of tests that need tools. A missing tool is a skip with its reason on a user's machine,
and a failure where CI=true."""

from __future__ import annotations

import importlib.util
import os
import shutil

import hypothesis
import pytest

from benchmarks.models import data_folder


def _host_compiler() -> str | None:
    found = any(shutil.which(name) for name in ("gcc", "clang"))
    return None if found else "no C compiler for the host (gcc or clang)"


def _arm_gcc() -> str | None:
    return None if shutil.which("arm-none-eabi-gcc") else "arm-none-eabi-gcc is not installed"


def _qemu() -> str | None:
    return None if shutil.which("qemu-system-arm") else "qemu-system-arm is not installed"


def _zig() -> str | None:
    return None if importlib.util.find_spec("ziglang") else "ziglang is not installed"


def _litert() -> str | None:
    return None if importlib.util.find_spec("ai_edge_litert") else "ai-edge-litert is not installed"


def _data() -> str | None:
    folder = data_folder()
    return None if (folder / "models").is_dir() else f"no models below {folder} (MCUC_DATA)"


# Marker -> (what it needs, probe giving the reason why not).
_NEEDS = {
    "gcc": ("a C compiler for the host", _host_compiler),
    "arm_gcc": ("arm-none-eabi-gcc", _arm_gcc),
    "qemu": ("qemu-system-arm", _qemu),
    "zig": ("ziglang", _zig),
    "litert": ("ai-edge-litert", _litert),
    "data": ("the models of MCUC_DATA", _data),
}


def pytest_configure(config: pytest.Config) -> None:
    if os.environ.get("CI") == "true":  # the same examples in every run; elsewhere new ones
        hypothesis.settings.register_profile("ci", derandomize=True)
        hypothesis.settings.load_profile("ci")
    for name, (need, _) in _NEEDS.items():
        config.addinivalue_line("markers", f"{name}: needs {need}")
    config.addinivalue_line("markers", "slow: takes more than a few seconds")


def pytest_runtest_setup(item: pytest.Item) -> None:
    for name, (_, probe) in _NEEDS.items():
        reason = probe() if item.get_closest_marker(name) else None
        if reason is None:
            continue
        if os.environ.get("CI") == "true":
            pytest.fail(f"CI must have all tools: {reason}", pytrace=False)
        pytest.skip(reason)
