"""What kernels and plans may know of the machine: core features and memory regions."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Region:
    """A piece of RAM that buffers may be placed in.

    Attributes:
        name: For example "sram1" or "dtcm".
        address: First byte on the device.
        size_bytes: Capacity.
        reserved_bytes: What the plan leaves free where there are several regions: the stack.
        external: A chip of its own behind a bus, slow: the last resort.
        use: What it is good for and what not, in words.
    """

    name: str
    address: int
    size_bytes: int
    reserved_bytes: int = 0
    external: bool = False
    use: str = ""


@dataclass(frozen=True)
class Target:
    """The machine a program is made for.

    Attributes:
        core: "cortex-m0plus", "cortex-m3", "cortex-m4", "cortex-m7", "cortex-m33", "cortex-m55",
            or "host".
        dsp: Armv7E-M / Armv8-M DSP extension present.
        mve: Helium integer vectors present.
        fpu: Single-precision FPU present.
        regions: RAM, fastest first; the first is the default for the arena.
        flash_bytes: Program memory.
    """

    core: str
    dsp: bool = False
    mve: bool = False
    fpu: bool = False
    regions: tuple[Region, ...] = ()
    flash_bytes: int = 0


HOST = Target(core="host", fpu=True, regions=(Region("ram", 0, 1 << 31),), flash_bytes=1 << 31)
