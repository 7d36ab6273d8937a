"""Upper bound of the stack that a model's run function needs, from the compiler's call graph.

gcc writes a `.ci` file per object (`-fcallgraph-info=su`): frame sizes and calls. Library functions
(soft float, memcpy) are not in it, nor is what inline assembly takes from the stack; both are read
from the linked program's disassembly.
Indirect calls are the driver's: what is called is a form function or a kernel.
"""

from __future__ import annotations

import re
import shutil
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from mcuc.device.elf import read_elf
from mcuc.device.toolchain import run_tool
from mcuc.errors import InternalError

_NODE = re.compile(r'node: \{ title: "([^"]*)" label: "([^"]*)"')
_EDGE = re.compile(r'edge: \{ sourcename: "([^"]*)" targetname: "([^"]*)"')
_BYTES = re.compile(r"\\n(\d+) bytes \((\w+)")
_INDIRECT = "__indirect_call"
_LOOP = ("mcuc_run_segment", "mcuc_advance")
_TILE = ("mcuc_form_tile", "mcuc_tile_")
_FORM = re.compile(r"mcuc_form_\w+")
_KERNEL = re.compile(r"mcuc_\w+?__\w+")

OBJDUMP = "arm-none-eabi-objdump"


@dataclass(frozen=True)
class StackBound:
    """The deepest path of calls.

    Attributes:
        bytes: Bound, the entry's own frame included; None when something is unknown.
        path: Functions from the entry to the deepest, as far as known.
        unknown: Functions whose frames are not known, or have no fixed size.
        functions: Of every function that the entry can reach, its own frame and the bound with all
            that it calls, where known.
    """

    bytes: int | None
    path: tuple[str, ...]
    unknown: tuple[str, ...]
    functions: Mapping[str, tuple[int, int]] = field(default_factory=dict)


@dataclass(frozen=True)
class CallGraph:
    """Frames and calls by function title.

    Attributes:
        frames: Bytes; None where the size is not fixed or the function is only declared.
        calls: Caller -> callees; "__indirect_call" stands for a call through a pointer.
    """

    frames: Mapping[str, int | None]
    calls: Mapping[str, frozenset[str]]


def stack_bound(objects: Sequence[Path], entry: str, linked: Path | None = None) -> StackBound:
    """The stack bound of `entry`.

    Args:
        objects: Objects with `.ci` files beside them; without any the bound is unknown.
        entry: Name of the run function.
        linked: The ELF file, for library functions and inline assembly. It needs objdump, without
            which the bound is unknown.

    Raises:
        InternalError: E903 for recursion, which mcuc's C never has.
    """
    files = [path.with_suffix(".ci") for path in objects]
    graph = read_call_graph([f.read_text(encoding="utf-8") for f in files if f.is_file()])
    start = next((title for title in graph.frames if _name(title) == entry), None)
    if start is None:
        return StackBound(None, (), (entry,))
    linked_frames = read_frames(linked) if linked is not None else LinkedFrames({}, {})
    if linked_frames is None:
        return StackBound(None, (), (OBJDUMP,))
    return _Search(graph, linked_frames).bound(start)


def read_call_graph(texts: Iterable[str]) -> CallGraph:
    """Merges the call graphs of several `.ci` files."""
    frames: dict[str, int | None] = {}
    calls: dict[str, set[str]] = {}
    for text in texts:
        for title, label in _NODE.findall(text):
            size = _BYTES.search(label)
            if size is not None:
                # "dynamic,bounded" is a bound; plain "dynamic" (alloca, VLA) is none.
                fixed = size.group(2) == "static" or "bounded" in label
                frames[title] = int(size.group(1)) if fixed else None
            else:
                frames.setdefault(title, None)
        for source, target in _EDGE.findall(text):
            calls.setdefault(source, set()).add(target)
    return CallGraph(frames, {k: frozenset(v) for k, v in calls.items()})


def _name(title: str) -> str:
    """Function name of a title: static functions are "file:name", clones "name.part.0"."""
    return title.rsplit(":", 1)[-1].split(".")[0]


class _Search:
    """Longest path by depth-first search; remembers finished functions."""

    def __init__(self, graph: CallGraph, linked: LinkedFrames) -> None:
        self.graph = graph
        self.linked = linked
        self.unknown: set[str] = set()
        self.done: dict[str, tuple[int, tuple[str, ...]]] = {}
        self.kernels = {t for t in graph.frames if _KERNEL.fullmatch(_name(t))}
        self.forms = {t for t in graph.frames if _FORM.fullmatch(_name(t))}

    def bound(self, start: str) -> StackBound:
        total, path = self._visit(start, ())
        unknown = tuple(sorted(self.unknown))
        functions = {
            _name(title): (frame, below[0])
            for title, below in self.done.items()
            if (frame := self._known(title)) is not None
        }
        return StackBound(None if unknown else total, path, unknown, functions)

    def _visit(self, title: str, above: tuple[str, ...]) -> tuple[int, tuple[str, ...]]:
        if title in above:
            cycle = [*map(_name, above[above.index(title) :]), _name(title)]
            raise InternalError("E903", f"recursion: {' -> '.join(cycle)}")
        if title not in self.done:
            best: tuple[int, tuple[str, ...]] = (0, ())
            for callee in sorted(self._callees(title)):
                best = max(best, self._visit(callee, (*above, title)))
            self.done[title] = (self._frame(title) + best[0], (_name(title), *best[1]))
        return self.done[title]

    def _frame(self, title: str) -> int:
        frame = self._known(title)
        if frame is None:
            self.unknown.add(_name(title))
        return frame or 0

    def _known(self, title: str) -> int | None:
        frame = self.graph.frames.get(title)
        if frame is not None:
            return max(frame, self.linked.own.get(_name(title), 0))
        return self.linked.whole.get(title) if title not in self.graph.calls else None

    def _indirect(self, caller: str) -> set[str]:
        """driver/run.c calls forms, a tile other forms, the rest of the driver kernels; others,
        anything.
        """
        if caller in _LOOP:
            return self.forms
        if caller.startswith(_TILE):
            return {title for title in self.forms if not _name(title).startswith(_TILE)}
        return self.kernels if caller.startswith("mcuc_") else self.forms | self.kernels

    def _callees(self, title: str) -> set[str]:
        callees = set(self.graph.calls.get(title, ()))
        if _INDIRECT in callees:
            callees.remove(_INDIRECT)
            callees |= self._indirect(_name(title))
        return callees


# --- library functions and inline assembly, from the disassembly ---------------------------------

_BLOCK = re.compile(r"^([0-9a-f]+) <([^>]+)>:$")
_TARGET = re.compile(r"<([^>+]+)(?:\+0x[0-9a-f]+)?>")
_SUB_SP = re.compile(r"^sp(?:, sp)?, #(\d+)")
_PREDECREMENT = re.compile(r"\[sp, #-(\d+)\]!")
_BRANCH = re.compile(r"^(b|bl|b(?:eq|ne|cs|cc|mi|pl|vs|vc|hi|ls|ge|lt|gt|le)|cbn?z)(\.[nw])?$")


@dataclass(frozen=True)
class LinkedFrames:
    """Upper bounds of stack bytes by function name.

    Attributes:
        own: Without what the function calls; inline assembly counts.
        whole: With all that it calls.
    """

    own: dict[str, int]
    whole: dict[str, int]


@dataclass
class _Block:
    """The code below one label: what it takes from the stack, and where it may go."""

    frame: int | None = 0
    jumps: set[str] | None = None
    calls: set[str] | None = None
    falls_into: str | None = None


def read_frames(linked: Path) -> LinkedFrames | None:
    """What the functions of a linked Arm program take from the stack; None without objdump.

    Every instruction of every reachable label that lowers the stack pointer is added up, which can
    only be too much. Functions that call through registers or set the stack pointer otherwise are
    left out.
    """
    tool = shutil.which(OBJDUMP)
    if tool is None:
        return None
    blocks, starts = _blocks(run_tool([tool, "-d", "--no-show-raw-insn", str(linked)]))
    frames = LinkedFrames({}, {})
    for symbol in read_elf(linked).symbols:
        label = starts.get(symbol.address)
        if symbol.kind != "func" or label is None:
            continue
        own, whole = blocks[label].frame, _reachable_frame(blocks, label)
        if own is not None:
            # Static functions of several files may have one name: the largest counts.
            name = _name(symbol.name)
            frames.own[name] = max(own, frames.own.get(name, 0))
        if whole is not None:
            frames.whole[symbol.name] = whole
    return frames


def _blocks(text: str) -> tuple[dict[str, _Block], dict[int, str]]:
    blocks: dict[str, _Block] = {}
    starts: dict[int, str] = {}
    block: _Block | None = None
    ends = True
    for line in text.splitlines():
        head = _BLOCK.match(line)
        if head:
            if block is not None and not ends:
                block.falls_into = head.group(2)
            block = blocks[head.group(2)] = _Block(jumps=set(), calls=set())
            starts[int(head.group(1), 16)] = head.group(2)
            ends = False
            continue
        fields = line.split("\t")
        if block is not None and len(fields) >= 2:
            operands = fields[2] if len(fields) > 2 else ""
            mnemonic, operands = fields[1].strip(), operands.split(";")[0].split("@")[0].strip()
            if mnemonic.startswith("nop") or (mnemonic, operands) == ("movs", "r0, r0"):
                continue  # padding behind the end
            ends = _take(block, mnemonic, operands)
    return blocks, starts


def _take(block: _Block, mnemonic: str, operands: str) -> bool:
    """Adds an instruction to its block; true when control never passes behind it."""
    assert block.jumps is not None and block.calls is not None
    base = mnemonic.split(".")[0]
    lowered = _lowered(base, mnemonic, operands)
    if lowered is None or (base == "blx" and not operands.startswith("<")):
        block.frame = None
    elif block.frame is not None:
        block.frame += lowered
    branch = _BRANCH.match(mnemonic)
    target = _TARGET.search(operands)
    if branch and target:
        (block.calls if base == "bl" else block.jumps).add(target.group(1))
    # A literal (.word) stands behind an end, too.
    return base in ("b", "bx", "udf", "") or (base in ("pop", "ldmia") and "pc" in operands)


def _lowered(base: str, mnemonic: str, operands: str) -> int | None:
    """Bytes by which an instruction lowers the stack pointer; None when that is not known."""
    if base in ("push", "vpush") or (base in ("stmdb", "vstmdb") and operands.startswith("sp!")):
        wide = "d" in operands.replace("sp", "") and base.startswith("v")
        return _count(operands) * (8 if wide else 4)
    if base in ("sub", "subw", "subs"):
        match = _SUB_SP.match(operands)
        if match:
            return int(match.group(1))
        return None if operands.startswith("sp,") else 0
    if base == "mov" and operands.startswith("sp,"):
        return None
    match = _PREDECREMENT.search(operands)
    return int(match.group(1)) if match else 0


def _count(operands: str) -> int:
    """Registers in a list such as "{r4, r5, lr}" or "{d8-d11}"."""
    inner = operands[operands.index("{") + 1 : operands.index("}")]
    count = 0
    for part in inner.split(","):
        low, _, high = part.strip().partition("-")
        count += int(high[1:]) - int(low[1:]) + 1 if high else 1
    return count


def _reachable_frame(blocks: Mapping[str, _Block], start: str) -> int | None:
    seen: set[str] = set()
    waiting = [start]
    total = 0
    while waiting:
        label = waiting.pop()
        if label in seen:
            continue
        seen.add(label)
        block = blocks.get(label)
        if block is None or block.frame is None:
            return None
        total += block.frame
        waiting += [*(block.jumps or ()), *(block.calls or ())]
        if block.falls_into:
            waiting.append(block.falls_into)
    return total
