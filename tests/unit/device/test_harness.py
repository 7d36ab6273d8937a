"""The test program on host and emulated boards: what goes well and each way of going wrong."""

from __future__ import annotations

import functools
import tempfile
import zlib
from dataclasses import replace
from pathlib import Path

import pytest

from mcuc.device.board import Board
from mcuc.device.boards import load_board
from mcuc.device.firmware import HarnessConfig, Program, assert_armv6m, build_program
from mcuc.device.harness import Request, RunRecord, encode_requests, run_requests
from mcuc.device.toolchain import Options, Source, find_toolchain
from mcuc.errors import BoardError, DeviceError, DeviceTimeoutError, ToolchainError
from mcuc.ir.target import Region

MODELS = Path(__file__).parent / "models.c"
# The table in models.c, in order.
NAMES = [
    "add",
    "write_behind",
    "write_before",
    "fault",
    "unaligned",
    "bad_address",
    "hang",
    "count",
    "deep",
    "overrun_stack",
    "traced",
    "too_large",
    "rounds",
    "reset",
    "lockup",
]
INPUT = bytes(range(3, 40))
OUTPUT = bytes(range(4, 41))
CONFIG = HarnessConfig(region_bytes=(100,), state_bytes=4, max_steps=4)
QEMU_BOARDS = ["qemu_m4", "qemu_m0plus", "qemu_m3", "qemu_m7", "qemu_m33", "qemu_m55", "qemu_f405"]
ARM = (pytest.mark.arm_gcc, pytest.mark.qemu)
EVERYWHERE = [
    pytest.param("host", marks=pytest.mark.gcc),
    *(pytest.param(name, marks=ARM) for name in QEMU_BOARDS),
]
ON_BOARDS = EVERYWHERE[1:]


def build(
    where: str,
    config: HarnessConfig = CONFIG,
    toolchain: str | None = None,
    board: Board | None = None,
) -> Program:
    board = board or (None if where == "host" else load_board(where))
    return build_program(
        [Source(MODELS)],
        config,
        Path(tempfile.mkdtemp(prefix=f"mcuc-{where}-")),
        board=board,
        options=Options(stack_usage=True),
        toolchain=find_toolchain(board, toolchain),
    )


@functools.cache
def program(where: str) -> Program:
    return build(where)


def request(name: str, **changes: object) -> Request:
    return replace(Request(NAMES.index(name), ((INPUT,),)), **changes)  # type: ignore[arg-type]


def run(where: str, name: str, **changes: object) -> RunRecord:
    return run_requests(program(where), [request(name, **changes)])[0][0][0]


@pytest.mark.parametrize("where", EVERYWHERE)
def test_many_requests_in_one_start(where: str) -> None:
    other = bytes(37)
    records = run_requests(
        program(where),
        [request("add", vectors=((INPUT,), (other,)), runs=2), request("deep"), request("add")],
    )
    assert [[len(runs) for runs in vectors] for vectors in records] == [[2, 2], [1], [1]]
    assert {r.outputs for r in records[0][0]} == {(OUTPUT,)}
    assert {r.outputs for r in records[0][1]} == {(bytes([1] * 37),)}
    assert records[1][0][0].outputs == (OUTPUT,)
    assert all(r.code == 7 and r.guards_intact for q in records for v in q for r in v)


@pytest.mark.parametrize("where", EVERYWHERE)
@pytest.mark.parametrize("poison", [0x55, 0xAA])
def test_the_arena_is_poisoned_and_can_be_seen(where: str, poison: int) -> None:
    (ram,) = run(where, "add", poison=poison, dump_ram=True).ram
    assert ram == INPUT + bytes([poison] * 13) + OUTPUT + bytes([poison] * 13)


@pytest.mark.parametrize("where", EVERYWHERE)
def test_state_lives_over_runs_and_is_reset_by_a_request(where: str) -> None:
    requests = [request("count", vectors=((INPUT,), (INPUT,)), runs=2), request("count")]
    records = run_requests(program(where), requests)
    assert [r.code for v in records[0] for r in v] == [101, 102, 103, 104]
    assert records[1][0][0].code == 101


@pytest.mark.parametrize("where", ON_BOARDS)
def test_instruction_counts_repeat(where: str) -> None:
    requests = [request("add", vectors=((INPUT,),) * 3, runs=2), request("deep")]
    first, second = run_requests(program(where), requests), run_requests(program(where), requests)
    assert first == second
    counts = {r.instructions for v in first[0] for r in v}
    assert len(counts) == 1
    # 37 bytes, each at least load, add, store; vectors of 16 bytes on the Cortex-M55.
    (count,) = counts
    assert count is not None and 3 * 37 // 16 < count < 10 * 37
    deep = first[1][0][0].instructions
    assert deep is not None and deep > 1000 + count


@pytest.mark.parametrize("where", ["qemu_m4", "qemu_m33", "qemu_m55"])
@pytest.mark.arm_gcc
@pytest.mark.qemu
def test_counts_beyond_the_counters_32_bits(where: str) -> None:
    lengths = (1000, 2000, 600_000_000)
    vectors = tuple((n.to_bytes(4, "little") + bytes(33),) for n in lengths)
    (records,) = run_requests(program(where), [request("rounds", vectors=vectors)])
    short, twice, long = (runs[0].instructions for runs in records)
    assert short is not None and twice is not None
    per_round, rest = divmod(twice - short, 1000)
    assert rest == 0 and per_round > 1
    assert long == short + per_round * (lengths[2] - 1000)
    counter = load_board(where).counter
    assert long > 2**32 * counter.numerator // counter.denominator


@pytest.mark.parametrize("where", ON_BOARDS)
def test_stack_is_measured(where: str) -> None:
    deep, flat = run(where, "deep").stack_bytes, run(where, "add").stack_bytes
    assert deep is not None and 1000 <= deep <= 1064
    assert flat is not None and flat <= 32


def test_the_host_knows_no_counter_and_no_stack() -> None:
    record = run("host", "add")
    assert record.instructions is None and record.stack_bytes is None


@pytest.mark.parametrize("where", EVERYWHERE)
def test_the_trace_hashes_rows_as_produced(where: str) -> None:
    record = run(where, "traced", trace=True)
    rows, fold = record.trace
    crc = 0
    for y in range(3):
        crc = zlib.crc32(INPUT[8 * y + 2 : 8 * y + 8], crc)
    assert (rows.id, rows.calls, rows.crc32) == (1, 3, crc)
    assert (fold.id, fold.calls, fold.crc32) == (3, 3, zlib.crc32(INPUT[16:24]))
    if where == "host":
        assert rows.instructions is None
    else:
        assert rows.instructions is not None and 9 < rows.instructions < 400
    assert run(where, "traced").trace == ()


@pytest.mark.parametrize("where", EVERYWHERE)
@pytest.mark.parametrize(
    ("name", "verdict"),
    [("write_behind", "3 bytes behind region0"), ("write_before", "5 bytes before region0")],
)
def test_a_write_outside_the_arena_is_found(where: str, name: str, verdict: str) -> None:
    with pytest.raises(DeviceError) as caught:
        run(where, name)
    assert caught.value.code == "E617" and verdict in caught.value.why


@pytest.mark.parametrize("where", ON_BOARDS)
def test_a_stack_overrun_is_found(where: str) -> None:
    with pytest.raises(DeviceError) as caught:
        run(where, "overrun_stack")
    assert caught.value.code == "E617" and "stack overflow" in caught.value.why


@pytest.mark.parametrize("where", ON_BOARDS)
def test_a_fault_says_what_and_where(where: str) -> None:
    with pytest.raises(DeviceError) as caught:
        run(where, "fault")
    assert caught.value.code == "E610"
    assert caught.value.data["causes"] == ["undefined instruction"]
    assert caught.value.data["function"] == "fault"
    with pytest.raises(DeviceError) as caught:
        run(where, "bad_address")
    assert caught.value.code == "E610"
    assert caught.value.data["address"] == 0xF0000000
    assert caught.value.data["function"] == "bad_address"


@pytest.mark.gcc
@pytest.mark.parametrize(("name", "signal"), [("fault", "SIG"), ("bad_address", "SIGSEGV")])
def test_a_crash_on_the_host_names_the_signal(name: str, signal: str) -> None:
    with pytest.raises(DeviceError) as caught:
        run("host", name)
    assert caught.value.code == "E612" and signal in caught.value.what


@pytest.mark.parametrize("where", EVERYWHERE)
def test_a_hang_ends_with_its_time(where: str) -> None:
    with pytest.raises(DeviceTimeoutError) as caught:
        run_requests(program(where), [request("hang")], timeout_s=1.0)
    assert caught.value.code == "E620" and caught.value.exit_code == 6


@pytest.mark.parametrize("where", EVERYWHERE)
def test_a_bad_request_is_refused(where: str) -> None:
    for bad in (request("too_large"), request("add", model=99), request("add", runs=0)):
        with pytest.raises(DeviceError) as caught:
            run_requests(program(where), [bad])
        assert caught.value.code == "E613"
    with pytest.raises(DeviceError) as caught:
        run_requests(program(where), [request("add", vectors=((INPUT[:-1],),))])
    assert caught.value.code == "E614"


@pytest.mark.arm_gcc
@pytest.mark.qemu
def test_armv6m_is_proved_and_its_alignment_enforced() -> None:
    assert_armv6m(program("qemu_m0plus").path)
    with pytest.raises(ToolchainError) as caught:
        assert_armv6m(program("qemu_m3").path)
    assert caught.value.code == "E509"
    with pytest.raises(DeviceError) as fault:
        run("qemu_m0plus", "unaligned")
    assert fault.value.data["causes"] == ["unaligned access"]
    assert run("qemu_m3", "unaligned").guards_intact


@pytest.mark.gcc
def test_sanitizers_guard_the_zones_too() -> None:
    checked = build("host", replace(CONFIG, sanitize=True))
    assert run_requests(checked, [request("add")])[0][0][0].outputs == (OUTPUT,)
    with pytest.raises(DeviceError) as caught:
        run_requests(checked, [request("write_behind")])
    assert caught.value.code == "E618" and "AddressSanitizer" in caught.value.why


@pytest.mark.arm_gcc
@pytest.mark.qemu
def test_a_fence_makes_the_emulated_ram_smaller() -> None:
    board = load_board("qemu_m7")
    assert board.emulator is not None
    fenced = replace(board, emulator=replace(board.emulator, ram_limit_bytes=320 * 1024))
    small = build("qemu_m7", board=fenced)
    assert run_requests(small, [request("add")])[0][0][0].outputs == (OUTPUT,)
    large = replace(CONFIG, region_bytes=(320 * 1024,))
    with pytest.raises(ToolchainError) as caught:
        build("qemu_m7", large, board=fenced)
    assert caught.value.code == "E506" and caught.value.exit_code == 5
    # The C code's view: a word just behind the fence faults, the last one inside does not.
    probe = Path(tempfile.mkdtemp()) / "probe.c"
    text = MODELS.read_text()
    for address, faults in ((0x2004FFFC, False), (0x20050000, True), (0x1FFFFFFC, True)):
        probe.write_text(text.replace("0xF0000000u", f"{address:#x}u"))
        built = build_program([Source(probe)], CONFIG, probe.parent / "out", board=fenced)
        if not faults:
            run_requests(built, [request("bad_address")])
            continue
        with pytest.raises(DeviceError) as fault:
            run_requests(built, [request("bad_address")])
        assert fault.value.data["kind"] == "MemManage fault"
        assert fault.value.data["address"] == address


@pytest.mark.arm_gcc
@pytest.mark.qemu
def test_memory_beyond_a_fence_holds_what_is_no_part_of_the_board(tmp_path: Path) -> None:
    board = load_board("qemu_m4")
    assert board.emulator is not None
    outside = Region("outside", 0x21000000, 1 << 20)
    fence = replace(board.emulator, ram_limit_bytes=64 * 1024, outside=outside)
    fenced = replace(board, emulator=fence)
    text = MODELS.read_text()
    for address, faults in (
        (0x2000FFFC, False),
        (0x20010000, True),
        (0x20FFFFFC, True),
        (0x210FFFFC, False),
        (0x21100000, True),
    ):
        probe = tmp_path / f"{address:x}.c"
        probe.write_text(text.replace("0xF0000000u", f"{address:#x}u"))
        built = build_program([Source(probe)], CONFIG, tmp_path / f"{address:x}", board=fenced)
        if faults:
            with pytest.raises(DeviceError) as fault:
                run_requests(built, [request("bad_address")])
            assert fault.value.data["address"] == address
        else:
            run_requests(built, [request("bad_address")])
    trace = next(s for s in built.elf.sections if s.name == ".outside")
    assert trace.address == outside.address
    assert trace.size_bytes > 0


@pytest.mark.zig
@pytest.mark.qemu
@pytest.mark.slow
def test_zig_builds_the_same_program() -> None:
    built = build("qemu_m4", toolchain="zig")
    record = run_requests(built, [request("add"), request("traced", trace=True)])
    assert record[0][0][0].outputs == (OUTPUT,)
    assert record[1][0][0].trace[0].crc32 == run("qemu_m4", "traced", trace=True).trace[0].crc32


@pytest.mark.arm_gcc
@pytest.mark.parametrize("name", ["nucleo_f446re", "nucleo_f746zg", "nucleo_h743zi"])
def test_real_boards_compile_and_check_memory(name: str) -> None:
    board = load_board(name)
    region = board.target.regions[-1]
    room = region.size_bytes - (16 * 1024 if len(board.target.regions) == 1 else 0)
    fits = replace(CONFIG, region_bytes=(room - 4096,), region_names=(region.name,), guard_bytes=32)
    elf = build(name, fits).elf
    arena = next(s for s in elf.sections if s.name == ".model_ram.0")
    assert arena.size_bytes == room - 4096 + 64
    assert region.address <= arena.address < region.address + region.size_bytes
    with pytest.raises(ToolchainError) as caught:
        build(name, replace(fits, region_bytes=(region.size_bytes,)))
    assert caught.value.code == "E506"
    with pytest.raises(BoardError) as refused:
        run_requests(build(name, fits), [request("add")])
    assert refused.value.code == "E604"


def test_requests_are_little_endian_words() -> None:
    raw = encode_requests([Request(2, ((b"ab", b"c"),), poison=0xAA, runs=3, trace=True)])
    assert raw == (
        b"MCRQ" + b"\1\0\0\0" + b"\2\0\0\0" + b"\1\0\0\0" + b"\xaa\0\0\0" + b"\3\0\0\0"
        b"\xff\xff\xff\xff" + bytes(4)
    ) + (b"\1\0\0\0" + b"abc")
