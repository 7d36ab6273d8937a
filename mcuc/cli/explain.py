"""`mcuc explain CODE`: the page of an error code."""

from __future__ import annotations

import difflib

import click

from mcuc.cli.command import Json, json_option, reporting


@click.command("explain")
@click.argument("code")
@json_option
@reporting
def command(code: str, as_json: bool) -> Json:
    """What an error CODE such as E401 means, and what to do."""
    from mcuc.error_codes import CODES

    code = code.upper()
    if code not in CODES:
        near = difflib.get_close_matches(code, CODES, n=3, cutoff=0.6)
        hint = f" Near: {', '.join(near)}." if near else ""
        raise click.UsageError(f"There is no error code {code}.{hint}")
    page = CODES[code]
    if not as_json:
        click.echo(f"{code}: {page.meaning}\n\nWhat to do: {page.remedy}")
    return {"schema": 1, "code": code, "meaning": page.meaning, "remedy": page.remedy}
