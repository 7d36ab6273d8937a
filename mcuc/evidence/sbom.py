"""What is linked into the firmware, as an SPDX 2.3 document: model, generated C, libraries."""

from __future__ import annotations

import hashlib
import os
import re
import time
from collections.abc import Mapping, Sequence
from typing import Any

from mcuc.report.document import Json
from mcuc.version import __version__

# A member of a library in a GNU linker map: "…/libgcc.a(_udivsi3.o)".
_MEMBER = re.compile(r"^(\S*/(lib\w+)\.a)\(([\w.+-]+)\)$", re.MULTILINE)
_LICENSES = {
    "libgcc": "GPL-3.0-or-later WITH GCC-exception-3.1",
    "libc": "BSD-3-Clause",
    "libm": "BSD-3-Clause",
}


def linked_members(map_text: str) -> dict[str, tuple[str, ...]]:
    """Library -> its members that were linked, from the head of a linker map."""
    head = map_text.partition("\nMemory Configuration")[0]
    members: dict[str, set[str]] = {}
    for _, library, member in _MEMBER.findall(head):
        members.setdefault(library, set()).add(member)
    return {library: tuple(sorted(found)) for library, found in sorted(members.items())}


def spdx(
    name: str,
    files: Mapping[str, bytes],
    model: tuple[str, bytes],
    libraries: Mapping[str, tuple[str, ...]],
    compiler: str,
) -> Json:
    """The document.

    Args:
        name: Of the firmware.
        files: Path -> contents of every source that is compiled.
        model: File name and contents.
        libraries: As `linked_members` gives.
        compiler: Its version line; "" = not known.

    The time is that of SOURCE_DATE_EPOCH, else 1970: equal inputs give equal documents.
    """
    stamp = int(os.environ.get("SOURCE_DATE_EPOCH", "0") or "0")
    entries = [_file(i, path, content) for i, (path, content) in enumerate(sorted(files.items()))]
    code = "".join(entry["checksums"][0]["checksumValue"] for entry in entries)
    digest = hashlib.sha256(code.encode() + model[1]).hexdigest()
    packages = _packages(name, model, libraries, compiler)
    return {
        "spdxVersion": "SPDX-2.3",
        "dataLicense": "CC0-1.0",
        "SPDXID": "SPDXRef-DOCUMENT",
        "name": name,
        "documentNamespace": f"https://spdx.org/spdxdocs/{name}-{digest[:32]}",
        "creationInfo": {
            "created": time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime(stamp)),
            "creators": [f"Tool: mcuc-{__version__}"],
        },
        "packages": packages,
        "files": entries,
        "relationships": [
            {"spdxElementId": a, "relationshipType": kind, "relatedSpdxElement": b}
            for a, kind, b in _relations(entries, libraries)
        ],
    }


def _packages(
    name: str,
    model: tuple[str, bytes],
    libraries: Mapping[str, tuple[str, ...]],
    compiler: str,
) -> list[dict[str, Any]]:
    firmware = _package("SPDXRef-firmware", name, __version__, "NOASSERTION")
    own = _package("SPDXRef-mcuc", "mcuc", __version__, "Apache-2.0")
    stored = _package("SPDXRef-model", model[0], "NOASSERTION", "NOASSERTION")
    packages = [
        {**firmware, "primaryPackagePurpose": "FIRMWARE"},
        own,
        {**stored, "checksums": [_sha256(model[1])]},
    ]
    for library, members in libraries.items():
        license_ = _LICENSES.get(library, "NOASSERTION")
        package = _package(f"SPDXRef-{library}", library, compiler or "NOASSERTION", license_)
        packages.append({**package, "comment": f"members linked: {', '.join(members)}"})
    return packages


def _relations(
    files: Sequence[Mapping[str, Any]], libraries: Mapping[str, tuple[str, ...]]
) -> list[tuple[str, str, str]]:
    firmware = "SPDXRef-firmware"
    return [
        ("SPDXRef-DOCUMENT", "DESCRIBES", firmware),
        (firmware, "CONTAINS", "SPDXRef-mcuc"),
        (firmware, "GENERATED_FROM", "SPDXRef-model"),
        *((firmware, "GENERATED_FROM", str(entry["SPDXID"])) for entry in files),
        *((firmware, "STATIC_LINK", f"SPDXRef-{library}") for library in libraries),
    ]


def _package(reference: str, name: str, version: str, license_: str) -> dict[str, Any]:
    package = {
        "SPDXID": reference,
        "name": name,
        "downloadLocation": "NOASSERTION",
        "filesAnalyzed": False,
        "licenseConcluded": license_,
        "licenseDeclared": license_,
        "copyrightText": "NOASSERTION",
    }
    return package if version == "NOASSERTION" else {**package, "versionInfo": version}


def _file(index: int, path: str, content: bytes) -> dict[str, Any]:
    sha1 = hashlib.sha1(content, usedforsecurity=False).hexdigest()
    return {
        "SPDXID": f"SPDXRef-file-{index}",
        "fileName": f"./{path}",
        "fileTypes": ["SOURCE"],
        "checksums": [_sha256(content), {"algorithm": "SHA1", "checksumValue": sha1}],
        "licenseConcluded": "NOASSERTION",
        "licenseInfoInFiles": ["NOASSERTION"],
        "copyrightText": "NOASSERTION",
    }


def _sha256(content: bytes) -> dict[str, str]:
    return {"algorithm": "SHA256", "checksumValue": hashlib.sha256(content).hexdigest()}
