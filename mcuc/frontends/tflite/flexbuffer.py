"""Options of custom operators: a FlexBuffers map from names to integers, every offset checked.

The layout is that of https://flatbuffers.dev/flexbuffers: the last byte says how wide the root is,
the one before what it is; a vector has its length in front, a map's vector of values the place of
its keys in front of that, and the elements' types behind.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping

from mcuc.errors import ModelError

_INT, _UINT, _MAP, _BOOL = 1, 2, 9, 26
_MOST = 64  # entries
_WIDTHS = (1, 2, 4, 8)

Damaged = Callable[[str], ModelError]


def read_integers(data: bytes, damaged: Damaged) -> Mapping[str, int]:
    """The map at the root; an empty buffer is an empty map.

    Args:
        data: The buffer.
        damaged: Makes the error for a buffer whose bytes contradict each other.

    Raises:
        ModelError: as `damaged` makes it; also where a value is no integer.
    """
    if not data:
        return {}
    return _Map(data, damaged).entries()


class _Map:
    def __init__(self, data: bytes, damaged: Damaged) -> None:
        self._data = data
        self._damaged = damaged

    def _number(self, place: int, width: int, signed: bool = False) -> int:
        if place < 0 or place + width > len(self._data):
            raise self._damaged("the options of a custom operator leave their buffer")
        return int.from_bytes(self._data[place : place + width], "little", signed=signed)

    def entries(self) -> dict[str, int]:
        size = len(self._data)
        width, kind = self._number(size - 1, 1), self._number(size - 2, 1)
        if width not in _WIDTHS or kind >> 2 != _MAP:
            raise self._damaged("the options of a custom operator are no map")
        root = size - 2 - width
        values, step = root - self._number(root, width), _WIDTHS[kind & 3]
        count = self._number(values - step, step)
        keys_step = self._number(values - 2 * step, step)
        place = values - 3 * step
        keys = place - self._number(place, step)
        if count > _MOST or keys_step not in _WIDTHS:
            raise self._damaged(f"the options of a custom operator have {count} entries")
        found = {}
        for i in range(count):
            key = keys + i * keys_step
            kind = self._number(values + count * step + i, 1) >> 2
            if kind not in (_INT, _UINT, _BOOL):
                raise self._damaged("the options of a custom operator are not all integers")
            name = self._text(key - self._number(key, keys_step))
            found[name] = self._number(values + i * step, step, signed=kind == _INT)
        return found

    def _text(self, place: int) -> str:
        end = self._data.find(b"\0", max(place, 0))
        if place < 0 or end < 0:
            raise self._damaged("a name of a custom operator's options leaves their buffer")
        return self._data[place:end].decode("utf-8", "replace")
