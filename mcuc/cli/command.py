"""What all commands share: options, errors to exit codes, tables on a terminal or in a pipe."""

from __future__ import annotations

import functools
import json
import math
import sys
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import click

from mcuc.errors import InternalError, McucError, errors_document, exit_code, flatten

Json = dict[str, Any]
INTERRUPTED_EXIT = 130
PLACES = ("reference", "host", "qemu", "board")  # mcuc.proof.places.PLACES without its imports
FORMS = ("plain", "platformio", "stm32cube", "cmake", "arduino", "zephyr")  # mcuc_codegen's

json_option = click.option(
    "--json", "as_json", is_flag=True, help="Print one JSON document and nothing else."
)


class Size(click.ParamType[int]):
    """Bytes, with an optional K, KB, KiB, M... suffix (powers of 1024)."""

    name = "BYTES"

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> int:
        if isinstance(value, int):
            return value
        text = str(value).strip().lower().removesuffix("b").removesuffix("i")
        factor = 1
        if text and text[-1] in "km":
            factor = 1024 if text[-1] == "k" else 1024 * 1024
            text = text[:-1]
        try:
            size = int(float(text) * factor) if "." in text else int(text, 0) * factor
        except (ValueError, OverflowError):
            self.fail(f"{value!r} is not a size such as 65536, 64K or 1M", param, ctx)
        if size <= 0:
            self.fail(f"{value!r} is not a positive number of bytes", param, ctx)
        return size


class Words(click.ParamType[tuple[str, ...]]):
    """Known words separated by commas, each once, in the order given."""

    name = "WORDS"

    def __init__(self, known: Sequence[str]) -> None:
        self.known = known

    def convert(
        self, value: Any, param: click.Parameter | None, ctx: click.Context | None
    ) -> tuple[str, ...]:
        if isinstance(value, tuple):
            return value
        names = tuple(dict.fromkeys(part.strip() for part in value.split(",") if part.strip()))
        unknown = [name for name in names if name not in self.known]
        if unknown or not names:
            known = ", ".join(self.known)
            self.fail(f"{unknown[0] if unknown else value!r} is not one of {known}", param, ctx)
        return names


class InputShape(click.ParamType[tuple[str, tuple[int, ...]]]):
    """A name and sizes."""

    name = "NAME=1,3,96,96"

    def convert(
        self, value: Any, param: click.Parameter | None, ctx: click.Context | None
    ) -> tuple[str, tuple[int, ...]]:
        if isinstance(value, tuple):
            return value
        name, _, sizes = str(value).rpartition("=")
        try:
            shape = tuple(int(size) for size in sizes.replace("x", ",").split(","))
        except ValueError:
            shape = ()
        if not name or not shape or min(shape) < 1:
            self.fail(f"{value!r} is not NAME=1,3,96,96", param, ctx)
        return name, shape


class LayerPrecision(click.ParamType[tuple[str, str]]):
    """A pattern of names and an arithmetic."""

    name = "NAME=int16|float32"

    def convert(
        self, value: Any, param: click.Parameter | None, ctx: click.Context | None
    ) -> tuple[str, str]:
        if isinstance(value, tuple):
            return value
        pattern, _, kind = str(value).rpartition("=")
        if not pattern or kind not in ("int16", "float32"):
            self.fail(f"{value!r} is not NAME=int16 or NAME=float32", param, ctx)
        return pattern, kind


class Percent(click.ParamType[float]):
    """A percentage, or `none` for no limit."""

    name = "percent"

    def convert(
        self, value: Any, param: click.Parameter | None, ctx: click.Context | None
    ) -> float:
        if value == "none":
            return math.inf
        try:
            return float(value)
        except (TypeError, ValueError):
            self.fail(f"{value!r} is neither a number nor none", param, ctx)


class Numbers(click.ParamType[tuple[float, ...]]):
    """Numbers separated by commas."""

    name = "NUMBERS"

    def convert(
        self, value: Any, param: click.Parameter | None, ctx: click.Context | None
    ) -> tuple[float, ...]:
        if isinstance(value, tuple):
            return value
        try:
            return tuple(float(part) for part in str(value).split(","))
        except ValueError:
            self.fail(f"{value!r} is not a list such as 0.5 or 0.485,0.456,0.406", param, ctx)


def arithmetic_options(function: Callable[..., Any]) -> Callable[..., Any]:
    """What a model computes with: `mcuc quantize` takes these alone."""
    options = [
        click.option("--input-shape", "input_shapes", type=InputShape(), multiple=True,
                     help="Sizes of an input of an ONNX model, for those that are open."),
        click.option("--precision", default=None,
                     type=click.Choice(["auto", "int8", "int16", "float32"]),
                     help="Arithmetic of a float model; auto: int8 with --calibration."),
        click.option("--calibration", default=None, metavar="DATA",
                     help="Samples to quantize with: .npz, .npy, folder of images, or random."),
        click.option("--calibration-method", default=None,
                     type=click.Choice(["minmax", "percentile", "mse", "entropy"]),
                     help="How ranges follow from the samples."),
        click.option("--calibration-mean", type=Numbers(), default=None,
                     help="Mean of the samples, for all channels or one each: 0.485,0.456,0.406."),
        click.option("--calibration-std", type=Numbers(), default=None,
                     help="Deviation; bytes are taken as 0 to 1: (byte / 255 - mean) / std."),
        click.option("--layer-precision", type=LayerPrecision(), multiple=True,
                     help="int16 or float32 for layers by their name; may hold * and ?."),
        click.option("--auto-precision", is_flag=True, default=None,
                     help="int16 or float32 for the layers that int8 hurts most."),
        click.option("--numerics", default=None, type=click.Choice(["litert-2.3", "tflm"]),
                     help="Rule set of the integer arithmetic."),
    ]  # fmt: skip
    for option in reversed(options):
        function = option(function)
    return function


class Places(Words):
    """Names of places."""

    name = "PLACES"

    def __init__(self) -> None:
        super().__init__(PLACES)


def model_options(function: Callable[..., Any]) -> Callable[..., Any]:
    """How a model is compiled, whatever the board."""
    options = [
        click.option("--io", default=None, type=click.Choice(["stored", "quantized"]),
                     help="Keep the file's input and output types, or drop the float border."),
        click.option("--io-layout", default=None, type=click.Choice(["nchw", "nhwc"]),
                     help="Axes of an ONNX model's inputs and outputs: as in the file, or channels "
                     "last, which costs no transposition."),
        click.option("--schedule", default=None,
                     help="auto, layer, stream, or patch:HxW@INDEX."),
        click.option("--minimize", default=None,
                     type=click.Choice(["balanced", "sram", "latency"]),
                     help="What auto takes: least RAM at next to no cost, least RAM, or the "
                     "fastest that fits."),
        click.option("--max-recompute", type=Percent(), default=None,
                     help="Percent of MACs that auto may execute twice, or none for no limit."),
        click.option("--latency", type=int, default=None,
                     help="Limit of the predicted instructions."),
        click.option("--point", type=int, default=None,
                     help="A point of the front that `mcuc schedule` shows."),
        click.option("--input-mode", default=None,
                     type=click.Choice(["kept", "consumed", "streamed", "random"]),
                     help="Inputs survive a run, are overwritten by it, come row by row, or are "
                     "asked for."),
        click.option("--output-mode", default=None, type=click.Choice(["whole", "rows"]),
                     help="The output lies in memory after a run, or is taken row by row."),
        click.option("--sliding", type=int, default=None, metavar="ROWS",
                     help="Rows by which a window of the input moves: only what is new is "
                     "computed."),
        click.option("--optimize", default=None,
                     type=click.Choice(["size", "balanced", "speed"]),
                     help="What the C compiler optimises for."),
    ]  # fmt: skip
    for option in reversed(options):
        function = option(function)
    return arithmetic_options(function)


def compile_options(function: Callable[..., Any]) -> Callable[..., Any]:
    """The options of `mcuc compile`; commands that compile first take them too."""
    options = [
        click.option("--board", default=None, help="Board id or path of a board.toml."),
        click.option("--sram", type=Size(), default=None,
                     help="Limit for arena + state + static + stack."),
        click.option("--flash", type=Size(), default=None, help="Limit for the whole image."),
        click.option("--name", default=None, help="Prefix of the generated C."),
        click.option("--project", type=Words(FORMS), default=None,
                     help="What is written: plain sources, platformio, stm32cube, cmake, arduino, "
                     "zephyr, or several with commas. Default: platformio where it knows the "
                     "board."),
        click.option("--preprocess", default=None, metavar="SPEC",
                     help="C that makes the input: KIND:key=value,... or a .toml file."),
        click.option("--postprocess", default=None, metavar="SPEC",
                     help="C that reads the outputs: KIND:key=value,... or a .toml file."),
        click.option("--labels", type=click.Path(path_type=Path), default=None, metavar="FILE",
                     help="Names of the classes, one per line."),
    ]  # fmt: skip
    for option in reversed(options[1:]):
        function = option(function)
    return options[0](model_options(function))


def device_options(function: Callable[..., Any]) -> Callable[..., Any]:
    """How a device is reached."""
    options = [
        click.option("--transport", type=click.Choice(["semihosting", "uart"]),
                     default="semihosting", show_default=True,
                     help="Of the emulator: its files, or the serial port as on a board."),
        click.option("--port", default="", metavar="PORT",
                     help="Of the board: a serial port, or tcp://HOST:PORT; default: the "
                     "only probe's."),
        click.option("--upload", default="", metavar="COMMAND",
                     help="Flashes the board first; {elf} and {port} are filled in."),
    ]  # fmt: skip
    for option in reversed(options):
        function = option(function)
    return function


def data_options(function: Callable[..., Any]) -> Callable[..., Any]:
    """How numbers in a user's data become the model's inputs."""
    function = click.option(
        "--offset", type=float, default=0.0, help="real value = FACTOR * number + OFFSET."
    )(function)
    return click.option(
        "--factor", type=float, default=None,
        help="Scale of the data, for example 0.00392157 for 0..255 pixels meant as 0..1. Without "
        "it data of the model's own type are taken as they are, others as real values.",
    )(function)  # fmt: skip


def reporting(function: Callable[..., Json | None]) -> Callable[..., None]:
    """Runs a command: McucError becomes text or the errors document, with its exit code.

    The command returns the document for `--json`, which is printed only then. An "exit" key in it
    is the exit code and is not printed.
    """

    @functools.wraps(function)
    def wrapper(*args: Any, **kwargs: Any) -> None:
        as_json = bool(kwargs.get("as_json"))
        context = click.get_current_context()
        verbose = int((context.find_root().obj or {}).get("verbose", 0))
        try:
            document = function(*args, **kwargs)
        except McucError as error:
            _fail(error, as_json, verbose)
        except (BrokenPipeError, click.exceptions.Exit, click.Abort, click.ClickException):
            raise
        except KeyboardInterrupt:
            click.echo("interrupted", err=True)
            sys.exit(INTERRUPTED_EXIT)
        except Exception as error:
            bug = InternalError(
                "E900",
                f"unexpected {type(error).__name__}: {error}",
                why="this is a bug in mcuc, not in your model",
                help="please report it with the model, the command and the output of -vv",
            )
            bug.__cause__ = error
            _fail(bug, as_json, verbose)
        else:
            code = int((document or {}).pop("exit", 0))
            if as_json:
                click.echo(json.dumps(document or {}, indent=2, allow_nan=False))
            sys.exit(code)

    return wrapper


def _fail(error: McucError, as_json: bool, verbose: int) -> None:
    if verbose >= 2:
        import traceback

        traceback.print_exception(error)
    if as_json:
        click.echo(json.dumps(errors_document(error), indent=2))
    else:
        click.echo("\n".join(e.render() for e in flatten(error)), err=True)
    sys.exit(exit_code(error))


def table(title: str, columns: Sequence[str], rows: Iterable[Sequence[object]]) -> None:
    """A rich table on a terminal, aligned plain text in a pipe. Numbers are right-aligned."""
    cells = [[_cell(value) for value in row] for row in rows]
    numeric = [
        bool(cells) and all(_is_number(row[i]) for row in cells) for i in range(len(columns))
    ]
    if sys.stdout.isatty():
        from rich import box
        from rich.console import Console
        from rich.table import Table
        from rich.text import Text

        view = Table(
            title=Text(title) if title else None,
            title_justify="left",
            box=box.SIMPLE_HEAD,
            show_header=any(columns),
        )
        for name, right in zip(columns, numeric, strict=True):
            view.add_column(name, justify="right" if right else "left", overflow="fold")
        for row in cells:
            view.add_row(*(Text(cell) for cell in row))
        Console().print(view)
        return
    if title:
        click.echo(title)
    widths = [max(len(r[i]) for r in [list(columns), *cells]) for i in range(len(columns))]
    for row in [list(columns), *cells] if any(columns) else cells:
        parts = [
            cell.rjust(width) if right else cell.ljust(width)
            for cell, width, right in zip(row, widths, numeric, strict=True)
        ]
        click.echo("  ".join(parts).rstrip())


def _cell(value: object) -> str:
    if value is None:
        return "-"
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, int):
        return f"{value:,}"
    return "".join(c if c.isprintable() else "?" for c in str(value))


def _is_number(cell: str) -> bool:
    return cell == "-" or cell.replace(",", "").replace(".", "").lstrip("-").isdigit()


@contextmanager
def progress(message: str, quiet: bool) -> Iterator[Callable[[str], None]]:
    """A spinner on a terminal while something runs; nothing in a pipe.

    Yields:
        What changes the message.
    """
    if quiet or not sys.stderr.isatty():
        yield lambda text: None
        return
    from rich.console import Console
    from rich.markup import escape

    with Console(stderr=True).status(escape(message)) as status:
        yield lambda text: status.update(escape(text))
