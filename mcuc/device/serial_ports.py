"""Serial ports of boards and probes, found by their USB ids."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from mcuc.errors import ToolchainError

# USB vendor and product ids: ST's list for the ST-LINK (TN1235), and the projects' own.
USB_IDS = {
    "stlink": {(0x0483, pid) for pid in (0x3744, 0x3748, 0x374A, 0x374B, 0x374D, 0x374E, 0x374F)}
    | {(0x0483, pid) for pid in (0x3752, 0x3753, 0x3754, 0x3755, 0x3757)},
    "jlink": {(0x1366, 0x0101), (0x1366, 0x0105), (0x1366, 0x1015), (0x1366, 0x1051)},
    "blackmagic": {(0x1D50, 0x6018)},
    "mbed": {(0x0D28, 0x0204)},
}
USB_IDS["cmsis-dap"] = USB_IDS["mbed"]


@dataclass(frozen=True)
class SerialPort:
    """A port that is plugged in.

    Attributes:
        device: Its name, for example "/dev/ttyACM0" or "COM3".
        kind: Of `USB_IDS`, or "" for another.
        serial: Serial number of the USB device, or "".
        description: The system's words.
    """

    device: str
    kind: str
    serial: str
    description: str


def list_ports() -> tuple[SerialPort, ...]:
    """All ports, by name.

    Raises:
        ToolchainError: E501 without pyserial.
    """
    try:
        from serial.tools import list_ports as pyserial
    except ImportError as error:
        raise ToolchainError(
            "E501", "pyserial is not installed", help="pip install 'mcuc[flash]'"
        ) from error
    ports = [
        SerialPort(
            device=str(port.device),
            kind=_kind(port.vid, port.pid),
            serial=str(port.serial_number or ""),
            description=str(port.description or ""),
        )
        for port in pyserial.comports()
    ]
    return tuple(sorted(ports, key=lambda port: port.device))


def _kind(vid: int | None, pid: int | None) -> str:
    return next((kind for kind, ids in USB_IDS.items() if (vid, pid) in ids), "")


def choose(ports: Sequence[SerialPort], kind: str, wanted: str | None) -> SerialPort | None:
    """The port of a probe; None when there is none of that kind.

    Args:
        ports: That are there.
        kind: Of probe.
        wanted: Name of the port, if the user gave one.

    Raises:
        ToolchainError: E551 when the wanted port is not there, E552 when several probes are.
    """
    if wanted:
        found = next((port for port in ports if port.device == wanted), None)
        if found is None:
            there = ", ".join(port.device for port in ports) or "none"
            raise ToolchainError(
                "E551",
                f"there is no port {wanted}",
                why=f"ports found: {there}",
                help="plug the board in, or give another --port",
            )
        return found
    mine = [port for port in ports if port.kind == kind]
    by_probe: dict[str, SerialPort] = {}
    for port in mine:
        by_probe.setdefault(port.serial or port.device, port)  # its first port
    if len(by_probe) > 1:
        listed = ", ".join(f"{p.device} ({p.description})" for p in by_probe.values())
        raise ToolchainError(
            "E552",
            f"{len(by_probe)} boards are plugged in",
            why=listed,
            help="say which one with --port",
            data={"ports": [p.device for p in by_probe.values()]},
        )
    return next(iter(by_probe.values()), None)
