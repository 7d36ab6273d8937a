"""What a `.tflite` file says about its use: labels, normalization of inputs, names of signatures.

The layout is TensorFlow Lite's `metadata_schema.fbs` ("M001"), in the buffer that the model's
metadata name TFLITE_METADATA; label files are a zip archive behind the model. Nothing of it is
needed to compile: what is damaged is left out.
"""

from __future__ import annotations

import io
import zipfile
import zlib
from collections.abc import Callable
from dataclasses import dataclass
from typing import TypeVar

from mcuc.errors import McucError
from mcuc.frontends.tflite.flatbuffer import Reader, Table

_SUBGRAPHS, _BUFFERS, _METADATA, _SIGNATURES = 2, 4, 6, 7  # of the model
_INPUTS, _OUTPUTS, _FILES = 2, 3, 4  # of a subgraph's metadata
_UNITS, _OWN_FILES = 4, 6  # of a tensor's metadata
_NORMALIZATION = 1  # ProcessUnitOptions
_LABELS = (2, 3)  # AssociatedFileType: of an axis, of values
_MOST = 1 << 16  # tables of a kind; lines of labels
_LARGEST = 1 << 22  # bytes of a label file

T = TypeVar("T")
Normalization = tuple[tuple[float, ...], tuple[float, ...]] | None


@dataclass(frozen=True)
class Signature:
    """A signature: its key, and (name, tensor's name) of its inputs and outputs."""

    key: str
    inputs: tuple[tuple[str, str], ...]
    outputs: tuple[tuple[str, str], ...]


@dataclass(frozen=True)
class Metadata:
    """What a file says about its use.

    Attributes:
        labels: Names of classes, of the first output that has some.
        normalization: By input, in order: means and standard deviations, per channel or one; None
            where the file says nothing.
        signatures: In the file's order.
    """

    labels: tuple[str, ...] = ()
    normalization: tuple[Normalization, ...] = ()
    signatures: tuple[Signature, ...] = ()

    def lines(self) -> list[str]:
        """One sentence for each thing, for a header's comment."""
        found = []
        for i, pair in enumerate(self.normalization):
            if pair is not None:
                mean, std = (", ".join(f"{v:g}" for v in values) for values in pair)
                found.append(f"Input {i} is to be normalized: (x - mean) / std, {mean} and {std}.")
        if self.labels:
            found.append(
                f"The file names {len(self.labels)} classes, a table for --postprocess top."
            )
        for signature in self.signatures:
            for what, ports in (("input", signature.inputs), ("output", signature.outputs)):
                listed = ", ".join(f"{name} = {tensor}" for name, tensor in ports)
                found.append(f"Signature {signature.key}, {what}s: {listed}.")
        return found


def read_metadata(data: bytes) -> Metadata:
    """The metadata of a `.tflite` file's bytes; of any other bytes, none."""
    model = _attempt(lambda: Reader(data, "").root(b"TFL3"), None)
    if model is None:
        return Metadata()
    nothing: tuple[tuple[Normalization, ...], tuple[str, ...]] = ((), ())
    normalization, files = _attempt(lambda: _described(model), nothing)
    return Metadata(
        labels=_labels(data, files),
        normalization=normalization,
        signatures=_attempt(lambda: _signatures(model), ()),
    )


def _attempt(read: Callable[[], T], otherwise: T) -> T:
    try:
        return read()
    except McucError:
        return otherwise


def _described(model: Table) -> tuple[tuple[Normalization, ...], tuple[str, ...]]:
    """Normalization by input, and names of label files, those of outputs first."""
    root = _root(model)
    if root is None:
        return (), ()
    (graph, *_) = root.tables(3, _MOST) or (Table(None),)
    inputs, outputs = graph.tables(_INPUTS, _MOST), graph.tables(_OUTPUTS, _MOST)
    listed = [file for tensor in outputs for file in tensor.tables(_OWN_FILES, _MOST)]
    listed += graph.tables(_FILES, _MOST)
    files = tuple(file.text(0) for file in listed if file.scalar(2, "i8") in _LABELS)
    return tuple(_normalization(tensor) for tensor in inputs), files


def _root(model: Table) -> Table | None:
    """The root of the metadata."""
    for entry in model.tables(_METADATA, _MOST):
        if entry.text(0) == "TFLITE_METADATA":
            buffers, index = model.tables(_BUFFERS, _MOST), entry.scalar(1, "u32")
            found = buffers[index].numbers(0, "u1") if index < len(buffers) else None
            return None if found is None else Reader(found.tobytes(), "").root(b"M001")
    return None


def _normalization(tensor: Table) -> Normalization:
    for unit in tensor.tables(_UNITS, _MOST):
        options = unit.table(1)
        if unit.scalar(0, "u8") == _NORMALIZATION and options is not None:
            mean, std = (options.numbers(field, "<f4") for field in (0, 1))
            if mean is not None and std is not None and 0 < len(mean) == len(std) <= 64:
                return tuple(map(float, mean)), tuple(map(float, std))
    return None


def _signatures(model: Table) -> tuple[Signature, ...]:
    (graph, *_) = model.tables(_SUBGRAPHS, _MOST) or (Table(None),)
    tensors = graph.tables(0, _MOST)

    def ports(signature: Table, field: int) -> tuple[tuple[str, str], ...]:
        found = []
        for port in signature.tables(field, _MOST):
            index = port.scalar(1, "u32")
            found.append((port.text(0), tensors[index].text(3) if index < len(tensors) else ""))
        return tuple(found)

    return tuple(
        Signature(signature.text(2), ports(signature, 0), ports(signature, 1))
        for signature in model.tables(_SIGNATURES, _MOST)
        if signature.scalar(4, "u32") == 0
    )


def _labels(data: bytes, files: tuple[str, ...]) -> tuple[str, ...]:
    """Lines of the first label file that is there."""
    try:
        with zipfile.ZipFile(io.BytesIO(data)) as archive:
            for name in files:
                if name in archive.namelist():
                    with archive.open(name) as file:
                        text = file.read(_LARGEST).decode("utf-8", "replace")
                    lines = tuple(line.strip() for line in text.rstrip().splitlines())
                    return lines if len(lines) <= _MOST else ()
    # What `zipfile` raises for damaged, encrypted or unknown archives; a model needs no labels.
    except (zipfile.BadZipFile, zlib.error, OSError, ValueError, NotImplementedError, RuntimeError):
        return ()
    return ()
