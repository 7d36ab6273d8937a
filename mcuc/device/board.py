"""What a board is: what a program may use of it, how it is compiled, started and measured."""

from __future__ import annotations

from dataclasses import dataclass

from mcuc.device.startup import Startup
from mcuc.ir.target import Region, Target


@dataclass(frozen=True)
class Counter:
    """The timer that measures runs: `counter_<kind>.c` in boards/common reads it.

    Attributes:
        kind: Driver name.
        address: Register base.
        unit: "instructions" (emulated: virtual time is a number of instructions) or "cycles".
        numerator, denominator: units = ticks * numerator / denominator.
    """

    kind: str
    address: int
    unit: str
    numerator: int
    denominator: int


@dataclass(frozen=True)
class Uart:
    """The serial port that reaches the host: `uart_<kind>.c` in boards/common drives it.

    Pins and the peripheral's clock are switched on before (`[startup]`).

    Attributes:
        kind: Driver name: "stm32_v1" has SR and DR (F1, F2, F4, L1), "stm32_v2" has ISR, RDR and
            TDR (F0, F3, F7, G, H, L4, L5, U5, N6), "stm32_lpuart" divides by 1/256 clocks, "cmsdk"
            is Arm's of the MPS boards.
        address: Register base.
        clock_hz: What the baud rate is divided from, as it is when the program runs.
        baud: Bits per second, 8N1.
    """

    kind: str
    address: int
    clock_hz: int
    baud: int


@dataclass(frozen=True)
class Emulator:
    """QEMU's view of the board.

    Attributes:
        machine: `-M` argument.
        icount_shift: One instruction takes 2^shift ns of virtual time.
        ram_limit_bytes: An MPU fence leaves only so many bytes of the first RAM region; 0 = all.
        outside: Memory for what is no part of the board (the test's image and trace); None = it
            lies with the other data. A power of two in size and aligned to it.
    """

    machine: str
    icount_shift: int
    ram_limit_bytes: int = 0
    outside: Region | None = None


@dataclass(frozen=True)
class Clock:
    """The core's clock after start-up.

    Attributes:
        hz: Its frequency.
        origin: Oscillator and dividers, in words.
        flash_wait_states: Of program memory, as start-up leaves them.
        reset_hz: Of core and serial port out of reset, or with the fallback of `Startup`: what
            they run at when a wait of start-up comes to nothing.
    """

    hz: int
    origin: str
    flash_wait_states: int
    reset_hz: int


@dataclass(frozen=True)
class PlatformIO:
    """What PlatformIO calls the board, and how it is written to.

    Attributes:
        board: Board id of the ststm32 platform.
        protocols: `upload_protocol`s that work, the usual one first.
        framework: For users with code of STM32CubeMX; "" = the platform has none for the board.
    """

    board: str
    protocols: tuple[str, ...]
    framework: str = ""


@dataclass(frozen=True)
class Board:
    """A board: what a program may use, how it is compiled, started and measured.

    Attributes:
        id: Name of its folder.
        description, source: For people; `source` says where the figures come from.
        target: What kernels and plans may know.
        flash: Program memory.
        rodata: A second program memory, for constants; None = they lie in `flash`.
        stack_region, stack_bytes: The stack lies at the bottom of this RAM region.
        gcc_flags, zig_flags: Code generation flags of the core, for either compiler.
        counter, uart: Peripherals.
        emulator: None for a real board.
        clock: After start-up; None for an emulated board, whose time is instructions.
        startup: Registers and caches that are set before the program runs.
        platformio: None where PlatformIO does not know the board.
    """

    id: str
    description: str
    source: str
    target: Target
    flash: Region
    stack_region: str
    stack_bytes: int
    gcc_flags: tuple[str, ...]
    zig_flags: tuple[str, ...]
    counter: Counter
    uart: Uart
    emulator: Emulator | None = None
    rodata: Region | None = None
    clock: Clock | None = None
    startup: Startup = Startup()
    platformio: PlatformIO | None = None

    @property
    def core(self) -> str:
        return self.target.core

    def region(self, name: str) -> Region:
        """The RAM region of that name; KeyError otherwise."""
        for region in self.target.regions:
            if region.name == name:
                return region
        raise KeyError(name)
