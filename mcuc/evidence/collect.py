"""Safety evidence of a compiled model: stack, heap, sizes, static analysis, what is linked."""

from __future__ import annotations

import tempfile
from collections.abc import Callable
from pathlib import Path

from mcuc.compiler.compile import Compiled
from mcuc.compiler.project import build_project, sources_of
from mcuc.data import data_dir
from mcuc.device.application import STARTUP_FILES, Application
from mcuc.device.elf import read_elf
from mcuc.device.static_analysis import Analysis, cppcheck, gcc_analyzer
from mcuc.evidence.misra import DEVIATIONS
from mcuc.evidence.sbom import linked_members, spdx
from mcuc.report.document import Json

_ALLOCATORS = ("malloc", "calloc", "realloc", "free", "sbrk", "alloca")


def evidence(compiled: Compiled, progress: Callable[[str], None] = lambda text: None) -> Json:
    """The report's `evidence`: built, linked and analysed anew from the folder's own C.

    Raises:
        ToolchainError: E501 without a cross compiler; E503, E504, E506.
        InternalError: E903 for recursion, which no code of ours has.
    """
    project, board, options = compiled.project, compiled.board, compiled.options
    common = data_dir("boards") / "common"
    with tempfile.TemporaryDirectory(prefix="mcuc-evidence-") as temporary:
        folder = Path(temporary)
        progress("building")
        application = build_project(project, board, options.optimize, folder)
        sources = [folder / n for n in sources_of(project)] + [common / n for n in STARTUP_FILES]
        includes = [folder, folder / "build"]
        progress("gcc -fanalyzer")
        analyses = [gcc_analyzer(board, sources, includes, options.optimize)]
        progress("cppcheck")
        analyses.append(cppcheck(sources, includes))
        map_file = application.path.with_suffix(".map")
        map_text = map_file.read_text("utf-8", "replace") if map_file.exists() else ""
        files = {str(Path(n)): t.encode("utf-8") for n, t in project.files.items()}
        files |= {f"board/{n}": (common / n).read_bytes() for n in STARTUP_FILES}
        return {
            "stack": _stack(application),
            "heap": _heap(application),
            "sections": _sections(application),
            "analysis": [_analysis(analysis, folder) for analysis in analyses],
            "misra_deviations": [d.rule for d in DEVIATIONS],
            "sbom": spdx(
                project.name,
                files,
                (compiled.model_name, compiled.model_bytes),
                linked_members(map_text),
                application.compiler,
            ),
        }


def clean(found: Json) -> bool:
    """Whether nothing was found and nothing is unknown; a missing analyser is unknown."""
    return (
        found["stack"]["bound_bytes"] is not None
        and not found["heap"]["allocators"]
        and all(entry["findings"] == [] for entry in found["analysis"])
    )


def _stack(application: Application) -> Json:
    functions: dict[str, tuple[int, int]] = {}
    for bound in application.stacks.values():
        functions.update(bound.functions)
    return {
        "bound_bytes": application.stack_bytes,
        "entries": {
            entry: {"bound_bytes": bound.bytes, "deepest_path": list(bound.path)}
            for entry, bound in application.stacks.items()
        },
        "unknown": sorted({name for b in application.stacks.values() for name in b.unknown}),
        "recursion": False,  # else stack_bound raises
        "functions": [
            {"name": name, "frame_bytes": frame, "bound_bytes": total}
            for name, (frame, total) in sorted(functions.items(), key=lambda f: (-f[1][1], f[0]))
        ],
    }


def _heap(application: Application) -> Json:
    functions = {s.name.strip("_").removesuffix("_r") for s in read_elf(application.path).symbols}
    return {"allocators": sorted(functions & set(_ALLOCATORS))}


def _sections(application: Application) -> dict[str, int]:
    return {s.name: s.size_bytes for s in read_elf(application.path).sections if s.size_bytes}


def _analysis(analysis: Analysis, folder: Path) -> Json:
    """Without the names of temporary folders."""
    findings = analysis.findings
    return {
        "tool": analysis.tool,
        "version": analysis.version,
        "findings": None
        if findings is None
        else [line.replace(f"{folder}/", "") for line in findings],
    }
