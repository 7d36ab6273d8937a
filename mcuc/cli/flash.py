"""`mcuc flash`."""

from __future__ import annotations

from pathlib import Path

import click

from mcuc.cli.command import Json, json_option, progress, reporting


@click.command("flash")
@click.argument("folder", type=click.Path(path_type=Path), metavar="DIR")
@click.option("--port", default=None, help="Serial port of the board; default: found by USB ids.")
@click.option(
    "--protocol",
    default=None,
    help="stlink, jlink, blackmagic, dfu, ... or custom; default: platformio.ini's.",
)
@click.option("--environment", default=None, help="Of platformio.ini, where it has several.")
@click.option(
    "--elf",
    type=click.Path(path_type=Path),
    default=None,
    metavar="FILE",
    help="Write this program instead: verify --upload 'mcuc flash DIR --elf {elf}'.",
)
@click.option("--timeout", "timeout_s", type=click.FloatRange(min=0.1), default=None,
              metavar="SECONDS",
              help="For the build and for each upload; default: 900 and 120.")  # fmt: skip
@json_option
@reporting
def command(
    folder: Path,
    port: str | None,
    protocol: str | None,
    environment: str | None,
    elf: Path | None,
    timeout_s: float | None,
    as_json: bool,
) -> Json:
    """Builds the PlatformIO project in DIR and writes it to the board."""
    from mcuc.lab.flash import flash

    with progress("building", as_json) as say:
        done = flash(
            folder,
            port=port,
            protocol=protocol,
            environment=environment,
            elf=elf,
            timeout_s=timeout_s,
            progress=say,
        )
    if not as_json:
        again = ", at the second attempt, under reset" if done["attempts"] > 1 else ""
        where = f"; its serial port is {done['port']}" if done["port"] else ""
        click.echo(f"wrote {elf or folder} to {done['board']} by {done['protocol']}{again}{where}")
    return done
