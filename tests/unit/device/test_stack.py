"""Stack bounds: longest path, indirect calls, library functions, recursion."""

from __future__ import annotations

from pathlib import Path

import pytest

from mcuc.device.boards import load_board
from mcuc.device.firmware import build_program
from mcuc.device.harness import run_requests
from mcuc.device.stack import OBJDUMP, _count, _lowered, stack_bound
from mcuc.device.toolchain import Options, Source
from mcuc.errors import InternalError
from tests.unit.device.test_harness import CONFIG, MODELS, program, request


def graph(tmp_path: Path, frames: dict[str, str], calls: list[tuple[str, str]]) -> list[Path]:
    lines = [
        f'node: {{ title: "{t}" label: "{t}\\nx.c:1:1{chr(92)}n{size}" }}'
        for t, size in frames.items()
    ]
    lines += [f'edge: {{ sourcename: "{a}" targetname: "{b}" label: "x" }}' for a, b in calls]
    (tmp_path / "m.ci").write_text("\n".join(lines))
    return [tmp_path / "m.o"]


def test_the_longest_path_counts(tmp_path: Path) -> None:
    objects = graph(
        tmp_path,
        {"run": "8 bytes (static)", "x.c:a": "16 bytes (static)", "b": "100 bytes (static)"},
        [("run", "x.c:a"), ("run", "b"), ("x.c:a", "b")],
    )
    bound = stack_bound(objects, "run")
    assert (bound.bytes, bound.path, bound.unknown) == (124, ("run", "a", "b"), ())


def test_indirect_calls_go_to_forms_and_then_kernels(tmp_path: Path) -> None:
    frames = {
        "run": "8 bytes (static)",
        "m.c:mcuc_form_pixel": "40 bytes (static)",
        "m.c:mcuc_form_window.part.0": "24 bytes (dynamic,bounded)",
        "m.c:mcuc_add_s8_s8_s8__c": "4 bytes (static)",
        "m.c:mcuc_conv2d_s8_s8_s8__dsp_2x4": "96 bytes (static)",
    }
    calls = [("run", "__indirect_call")] + [(t, "__indirect_call") for t in frames if "form" in t]
    bound = stack_bound(graph(tmp_path, frames, calls), "run")
    assert bound.bytes == 8 + 40 + 96


def test_recursion_is_a_bug(tmp_path: Path) -> None:
    frames = {"run": "8 bytes (static)", "a": "8 bytes (static)"}
    objects = graph(tmp_path, frames, [("run", "a"), ("a", "run")])
    with pytest.raises(InternalError, match="run -> a -> run"):
        stack_bound(objects, "run")


def test_what_is_not_known_is_not_guessed(tmp_path: Path) -> None:
    frames = {"run": "8 bytes (static)", "vla": "8 bytes (dynamic)"}
    objects = graph(tmp_path, frames, [("run", "memcpy"), ("run", "vla")])
    bound = stack_bound(objects, "run")
    assert bound.bytes is None and bound.unknown == ("memcpy", "vla")
    assert stack_bound(objects, "other").bytes is None
    assert stack_bound([tmp_path / "none.o"], "run").bytes is None


@pytest.mark.parametrize(
    ("text", "lowered"),
    [
        ("push {r4, r5, lr}", 12),
        ("stmdb sp!, {r4-r7, lr}", 20),
        ("vpush {d8-d11}", 32),
        ("vpush {s16}", 4),
        ("sub sp, #24", 24),
        ("sub.w sp, sp, #1024", 1024),
        ("str.w lr, [sp, #-8]!", 8),
        ("strd r4, r5, [sp, #-16]!", 16),
        ("add sp, #24", 0),
        ("sub.w sp, sp, r3", None),
        ("mov sp, r2", None),
        ("sub.w r0, sp, #8", 0),
    ],
)
def test_stack_effect_of_instructions(text: str, lowered: int | None) -> None:
    mnemonic, _, operands = text.partition(" ")
    assert _lowered(mnemonic.split(".")[0], mnemonic, operands) == lowered
    assert _count("{r0, r4-r6, lr}") == 5


@pytest.mark.arm_gcc
@pytest.mark.qemu
@pytest.mark.parametrize("where", ["qemu_m4", "qemu_m0plus", "qemu_m55"])
@pytest.mark.parametrize("name", ["add", "deep", "traced"])
def test_the_bound_holds_what_was_measured(where: str, name: str) -> None:
    built = program(where)
    record = run_requests(built, [request(name, trace=name == "traced")])[0][0][0]
    bound = stack_bound(built.objects, name, built.path)
    assert bound.unknown == () and bound.bytes is not None and record.stack_bytes is not None
    # 16: the frame of the painting function, which the watermark cannot tell from the model's.
    assert record.stack_bytes <= max(bound.bytes, 16)
    assert bound.bytes <= record.stack_bytes + 200


SOFT_FLOAT = """
static int divide(const mcuc_memory *memory)
{
  volatile float x = (float)((const uint8_t *)memory->ram[0])[0];
  volatile int64_t n = 1000000007;
  (void)add(memory);
  return (int)(x * 3.0f / 7.0f) + (int)(n / (int64_t)x);
}
"""


@pytest.mark.arm_gcc
@pytest.mark.qemu
def test_library_functions_are_read_from_the_program(tmp_path: Path) -> None:
    source = tmp_path / "soft.c"
    text = MODELS.read_text().replace("#ifdef __arm__", SOFT_FLOAT + "#ifdef __arm__", 1)
    source.write_text(text.replace("MODEL(deep,", "MODEL(divide,"))
    for where in ("qemu_m3", "qemu_m0plus"):
        board = load_board(where)
        options = Options(stack_usage=True, strict=False)
        built = build_program(
            [Source(source)], CONFIG, tmp_path / where, board=board, options=options
        )
        record = run_requests(built, [request("deep")])[0][0][0]
        assert record.code == 1 + 1000000007 // 3
        bound = stack_bound(built.objects, "divide", built.path)
        assert bound.bytes is not None and record.stack_bytes is not None
        assert record.stack_bytes <= bound.bytes
        assert stack_bound(built.objects, "divide").bytes is None


PUSHES = """
static __attribute__((noinline)) void pushes(void)
{
  __asm__ volatile("push {r0, r1, r2, r3, r4, r5, r6, r7}; sub sp, #504; str r0, [sp];"
                   "add sp, #508; add sp, #28" ::: "memory");
}
static int pushing(const mcuc_memory *memory)
{
  pushes();
  return add(memory);
}
"""


@pytest.mark.arm_gcc
@pytest.mark.qemu
def test_what_assembly_pushes_counts(tmp_path: Path) -> None:
    source = tmp_path / "pushing.c"
    text = MODELS.read_text().replace("#ifdef __arm__", PUSHES + "#ifdef __arm__", 1)
    source.write_text(text.replace("MODEL(deep,", "MODEL(pushing,"))
    for where in ("qemu_m4", "qemu_m0plus"):
        options = Options(stack_usage=True, strict=False)
        built = build_program(
            [Source(source)], CONFIG, tmp_path / where, board=load_board(where), options=options
        )
        record = run_requests(built, [request("deep")])[0][0][0]
        bound = stack_bound(built.objects, "pushing", built.path)
        assert bound.bytes is not None and record.stack_bytes is not None
        assert 536 <= record.stack_bytes <= bound.bytes <= record.stack_bytes + 200


def test_without_objdump_assembly_is_not_known(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    objects = graph(tmp_path, {"run": "8 bytes (static)"}, [])
    monkeypatch.setenv("PATH", "")
    bound = stack_bound(objects, "run", tmp_path / "program.elf")
    assert bound.bytes is None and bound.unknown == (OBJDUMP,)
