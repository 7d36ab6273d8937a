"""The command line. Commands are loaded when they are called: `mcuc --help` stays fast."""

from __future__ import annotations

import importlib
import sys
from collections.abc import Sequence
from typing import Any

import click

from mcuc.version import __version__

COMMANDS = {
    "inspect": "What is in a model: ops, shapes, MACs, weights, RAM per layer, all problems.",
    "quantize": "Float model -> int8, with its loss layer by layer, and as QDQ .onnx.",
    "compile": "Model -> C, memory plan and report.",
    "run": "Run a model on a board or emulator.",
    "verify": "Prove that reference, host and device give the same bytes.",
    "hil": "Hardware in the loop: a lab's boards and models, against a baseline.",
    "evidence": "Stack, heap, static analysis, parts: for a safety case.",
    "evaluate": "Accuracy on a data set, sample by sample.",
    "schedule": "What less RAM costs: the front of schedules.",
    "fit": "Which boards a model fits, and why not.",
    "flash": "Build a folder and write it to a board, by PlatformIO.",
    "boards": "The boards that mcuc knows; new: a file for your own.",
    "doctor": "Which tools are there, and what is missing.",
    "explain": "What an error code means and what to do.",
    "ops": "The support matrix: ops, types, kernels.",
}


class _LazyGroup(click.Group):
    """Commands by name, each in a module of this package with the same name."""

    def main(self, args: Sequence[str] | None = None, *rest: Any, **extra: Any) -> Any:
        """As click's, but with `--json` a wrong command line is a document on standard output."""
        words = list(sys.argv[1:] if args is None else args)
        if "--json" not in words:
            return super().main(words, *rest, **extra)
        try:
            return super().main(words, *rest, **{**extra, "standalone_mode": False})
        except click.Abort:
            sys.exit(1)
        except click.ClickException as error:
            _print_usage_document(error)
            sys.exit(error.exit_code)

    def list_commands(self, ctx: click.Context) -> list[str]:
        return list(COMMANDS)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        if cmd_name not in COMMANDS:
            return None
        command = importlib.import_module(f"mcuc.cli.{cmd_name}").command
        assert isinstance(command, click.Command)
        return command

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        with formatter.section("Commands"):
            formatter.write_dl(list(COMMANDS.items()))

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        name = args[0] if args else ""
        if name and name not in COMMANDS and not name.startswith("-"):
            import difflib

            near = difflib.get_close_matches(name, COMMANDS, n=1)
            hint = f" Did you mean {near[0]!r}?" if near else ""
            ctx.fail(f"No such command {name!r}.{hint}")
        return super().resolve_command(ctx, args)


def _print_usage_document(error: click.ClickException) -> None:
    import json

    from mcuc.errors import McucError, errors_document

    context = getattr(error, "ctx", None)
    command = context.command_path if context else "mcuc"
    problem = McucError("E100", error.format_message(), help=f"see {command} --help")
    click.echo(json.dumps(errors_document(problem), indent=2))


@click.group(cls=_LazyGroup, context_settings={"help_option_names": ["-h", "--help"]})
@click.version_option(__version__, prog_name="mcuc")
@click.option("-v", "verbose", count=True, help="More log; -vv also shows tracebacks.")
@click.pass_context
def cli(ctx: click.Context, verbose: int) -> None:
    """Neural networks to verified C firmware for microcontrollers."""
    ctx.obj = {"verbose": verbose}
    if verbose:
        import logging

        level = logging.INFO if verbose == 1 else logging.DEBUG
        logging.basicConfig(level=level, stream=sys.stderr, format="%(message)s")


def main() -> None:
    """The `mcuc` program."""
    cli.main(prog_name="mcuc")
