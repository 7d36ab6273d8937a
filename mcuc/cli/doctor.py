"""`mcuc doctor`."""

from __future__ import annotations

import sys

import click

from mcuc.cli.command import Json, json_option, reporting, table

MISSING_EXIT = 5


@click.command("doctor")
@json_option
@reporting
def command(as_json: bool) -> Json:
    """Which tools are there, what is missing, and what does not work without it.

    The exit code is 0 when compile and verify can do all that they do by default, else 5.
    """
    from mcuc.lab.doctor import checks, unavailable
    from mcuc.version import __version__

    found = checks()
    broken = unavailable(found)
    python = ".".join(map(str, sys.version_info[:3]))
    if not as_json:
        rows = [(c.name, c.found, c.version or c.problem, c.purpose) for c in found]
        table(f"mcuc {__version__}, Python {python}", ("tool", "ok", "version", "for"), rows)
        for check in found:
            if not check.found:
                click.echo(f"to get {check.name}: {check.install}")
        for sentence in broken:
            click.echo(f"missing: {sentence}")
        if not broken:
            click.echo("compile and verify can work")
    return {
        "schema": 1,
        "mcuc": __version__,
        "python": python,
        "ready": not broken,
        "unavailable": broken,
        "tools": [
            {
                "name": check.name,
                "found": check.found,
                "version": check.version or None,
                "problem": check.problem or None,
                "purpose": check.purpose,
                "install": check.install,
            }
            for check in found
        ],
        "exit": MISSING_EXIT if broken else 0,
    }
