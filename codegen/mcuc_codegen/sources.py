"""The runtime sources that a program uses, as they stand in a generated folder."""

from __future__ import annotations

import re
from pathlib import Path

from mcuc.data import data_dir
from mcuc.ir.program import Form, Program, Step

_INCLUDE = re.compile(r'#include "(?:[\w]+/)+(\w+\.h)"')


def kernel_header(source: str) -> str:
    """Name of a kernel in a generated folder: "add/s8_s8_s8__c.c" -> "add_s8_s8_s8__c.h"."""
    return source.replace("/", "_").removesuffix(".c") + ".h"


def driver_headers(program: Program) -> list[str]:
    """The drivers that a program needs, in include order."""
    forms = sorted({form.value for step in program.steps() for form in _forms(step)})
    return ["driver_run.h", *(f"driver_{form}.h" for form in forms)]


def _forms(step: Step) -> set[Form]:
    return {step.form, *(part.form for part in step.parts)}


def kernel_sources(program: Program) -> list[str]:
    """Kernel files used, in order of first use."""
    return list(dict.fromkeys(step.source for step in program.kernel_calls()))


def runtime_files(program: Program) -> dict[str, str]:
    """Path in the generated folder -> text, for every runtime file that the program uses."""
    root = data_dir("runtime_c")
    files: dict[str, str] = {}
    for header in driver_headers(program):
        name = header.removeprefix("driver_").removesuffix(".h")
        files[f"mcuc/{header}"] = _guarded(header, _flat(root / "driver" / f"{name}.c"))
    for source in kernel_sources(program):
        header = kernel_header(source)
        files[f"mcuc/{header}"] = _guarded(header, _flat(root / "src" / source))
    return with_includes(files, root)


def _guarded(header: str, text: str) -> str:
    """Two models compiled as one translation unit share kernels instead of defining them twice."""
    macro = f"MCUC_{header.removesuffix('.h').upper()}_H"
    return f"#ifndef {macro}\n#define {macro}\n\n{text}\n#endif\n"


def _flat(path: Path) -> str:
    return path.read_text(encoding="utf-8")


def with_includes(files: dict[str, str], root: Path) -> dict[str, str]:
    """Adds included headers and points all includes at the one flat folder."""
    result: dict[str, str] = {}
    pending = dict(files)
    while pending:
        path, text = pending.popitem()
        for match in re.findall(r'#include "((?:\w+/)+\w+\.h)"', text):
            target = f"mcuc/{Path(match).name}"
            if target not in result and target not in pending and target != path:
                places = [root / folder / match for folder in ("include", "src", "")]
                pending[target] = _flat(next(p for p in places if p.exists()))
        result[path] = _INCLUDE.sub(r'#include "\1"', text)
    return result
