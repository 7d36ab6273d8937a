"""A small reader for little-endian ELF files: sections, symbols, sizes. Needs no tool."""

from __future__ import annotations

import struct
from dataclasses import dataclass
from pathlib import Path

from mcuc.errors import ToolchainError

_MAGIC = b"\x7fELF"
_SHT_SYMTAB = 2
_SHT_NOBITS = 8
_SHF_WRITE = 1
_SHF_ALLOC = 2
_STT_OBJECT = 1
_STT_FUNC = 2
_PT_LOAD = 1
_SHN_LORESERVE = 0xFF00


@dataclass(frozen=True)
class Section:
    """A section that takes part in the running program.

    Attributes:
        load_address: Where its bytes are stored: the flash address of initialised data.
        stored: The file holds its bytes (not zero-initialised).
    """

    name: str
    address: int
    load_address: int
    size_bytes: int
    stored: bool
    writable: bool


@dataclass(frozen=True)
class Symbol:
    """A function or object. The Thumb bit is not part of the address."""

    name: str
    address: int
    size_bytes: int
    kind: str  # "func" or "object"
    section: str


@dataclass(frozen=True)
class Elf:
    """What an ELF file says about memory."""

    path: Path
    entry: int
    sections: tuple[Section, ...]
    symbols: tuple[Symbol, ...]

    def function_at(self, address: int) -> Symbol | None:
        """The function that holds the address (Thumb bit ignored)."""
        address &= ~1
        for symbol in self.symbols:
            if symbol.kind == "func" and 0 <= address - symbol.address < max(symbol.size_bytes, 2):
                return symbol
        return None


@dataclass(frozen=True)
class Sizes:
    """Memory taken by a linked program, in bytes.

    Attributes:
        text, rodata: Code and constants in flash.
        data: Initialised data: counts in flash and in RAM.
        bss: Zero-initialised RAM; stack and arena are sections of their own.
        sections: Section name -> size.
        symbols: (section, symbol) -> size.
    """

    text: int
    rodata: int
    data: int
    bss: int
    sections: dict[str, int]
    symbols: dict[tuple[str, str], int]

    @property
    def flash(self) -> int:
        return self.text + self.rodata + self.data


def read_elf(path: Path) -> Elf:
    """Reads a linked or relocatable file.

    Raises:
        ToolchainError: E508 when it is no little-endian ELF file, or damaged.
    """
    raw = path.read_bytes()
    try:
        if raw[:4] != _MAGIC or raw[5] != 1:
            raise ValueError("not a little-endian ELF file")
        return _parse(path, raw, wide=raw[4] == 2)
    except (struct.error, ValueError, IndexError) as error:
        raise ToolchainError("E508", f"cannot read {path.name}", why=str(error)) from error


def sizes(elf: Elf) -> Sizes:
    """Sizes by section kind. Exception tables count as constants."""
    totals = {"text": 0, "rodata": 0, "data": 0, "bss": 0}
    for section in elf.sections:
        totals[_kind(section)] += section.size_bytes
    return Sizes(
        text=totals["text"],
        rodata=totals["rodata"],
        data=totals["data"],
        bss=totals["bss"],
        sections={s.name: s.size_bytes for s in elf.sections},
        symbols={(s.section, s.name): s.size_bytes for s in elf.symbols if s.size_bytes},
    )


def _kind(section: Section) -> str:
    if not section.stored:  # lld leaves out the flag "writable" where it has seen no contents
        return "bss"
    if section.writable:
        return "data"
    return "text" if section.name.startswith((".text", ".vectors", ".init", ".fini")) else "rodata"


def _text(table: bytes, offset: int) -> str:
    return table[offset : table.index(b"\0", offset)].decode("utf-8", "replace")


def _parse(path: Path, raw: bytes, wide: bool) -> Elf:
    head = struct.unpack_from("<HHIQQQIHHHHHH" if wide else "<HHIIIIIHHHHHH", raw, 16)
    entry, phoff, shoff = head[3], head[4], head[5]
    phentsize, phnum, shentsize, shnum, shstrndx = head[8:13]
    heads = [_section_head(raw, shoff + i * shentsize, wide) for i in range(shnum)]
    loads = _loads(raw, phoff, phentsize, phnum, wide)
    names = _bytes(raw, heads[shstrndx])
    sections = []
    for name, kind, flags, address, _, size, _ in heads:
        if flags & _SHF_ALLOC and size:
            sections.append(
                Section(
                    name=_text(names, name),
                    address=address,
                    load_address=_load_address(address, loads),
                    size_bytes=size,
                    stored=kind != _SHT_NOBITS,
                    writable=bool(flags & _SHF_WRITE),
                )
            )
    labels = [_text(names, h[0]) for h in heads]
    symbols: list[Symbol] = []
    for section_head in heads:
        if section_head[1] == _SHT_SYMTAB:
            strings = _bytes(raw, heads[section_head[6]])
            symbols += _symbols(_bytes(raw, section_head), strings, labels, wide)
    symbols.sort(key=lambda s: (s.address, s.name))
    return Elf(path, entry, tuple(sections), tuple(symbols))


# (name, type, flags, address, offset, size, link)
_Head = tuple[int, int, int, int, int, int, int]


def _section_head(raw: bytes, at: int, wide: bool) -> _Head:
    return struct.unpack_from("<IIQQQQI" if wide else "<IIIIIII", raw, at)


def _bytes(raw: bytes, head: _Head) -> bytes:
    return raw[head[4] : head[4] + head[5]]


def _loads(
    raw: bytes, offset: int, size: int, count: int, wide: bool
) -> list[tuple[int, int, int]]:
    """(address, load address, size in memory) of each loaded segment."""
    loads = []
    for i in range(count):
        at = offset + i * size
        if wide:
            kind, _, _, address, load, _, bytes_ = struct.unpack_from("<IIQQQQQ", raw, at)
        else:
            kind, _, address, load, _, bytes_ = struct.unpack_from("<IIIIII", raw, at)
        if kind == _PT_LOAD:
            loads.append((address, load, bytes_))
    return loads


def _load_address(address: int, loads: list[tuple[int, int, int]]) -> int:
    for start, load, size in loads:
        if start <= address < start + size:
            return load + address - start
    return address


def _symbols(table: bytes, strings: bytes, labels: list[str], wide: bool) -> list[Symbol]:
    found = []
    layout = struct.Struct("<IBBHQQ" if wide else "<IIIBBH")
    for fields in layout.iter_unpack(table):
        if wide:
            name, info, _, index, value, size = fields
        else:
            name, value, size, info, _, index = fields
        kind = info & 15
        if kind not in (_STT_OBJECT, _STT_FUNC) or index == 0 or index >= _SHN_LORESERVE:
            continue
        function = kind == _STT_FUNC
        found.append(
            Symbol(
                name=_text(strings, name),
                address=value & ~1 if function and not wide else value,
                size_bytes=size,
                kind="func" if function else "object",
                section=labels[index],
            )
        )
    return found
