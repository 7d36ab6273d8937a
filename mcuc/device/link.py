"""Byte streams to a device: a TCP connection to an emulator, or a serial port."""

from __future__ import annotations

import errno
import socket
from typing import Protocol

from mcuc.errors import PortError, ToolchainError

TCP = "tcp://"


class Link(Protocol):
    """Two-way bytes. Every method raises PortError E524 when the device's end is gone."""

    name: str

    def read(self, timeout_s: float) -> bytes:
        """What has come, or after `timeout_s` nothing."""

    def write(self, data: bytes, timeout_s: float) -> None:
        """All of it; PortError E525 when it is not taken in time."""

    def close(self) -> None: ...


def open_link(port: str, baud: int, timeout_s: float = 10.0) -> Link:
    """The device at `port`: "tcp://HOST:PORT", or a serial port such as /dev/ttyACM0 or COM3.

    Raises:
        PortError: E520 it does not exist, E521 it is taken, E522 no permission.
        ToolchainError: E501 without pyserial.
    """
    if not port.startswith(TCP):
        return SerialLink(port, baud)
    host, _, number = port.removeprefix(TCP).rpartition(":")
    if not host or not number.isdecimal() or int(number) > 65535:
        raise PortError("E520", f"{port!r} is no port", help=f"give {TCP}HOST:NUMBER")
    try:
        connection = socket.create_connection((host, int(number)), timeout_s)
    except OSError as error:
        raise PortError(
            "E520", f"nothing answers at {port}", why=str(error), help="start the device first"
        ) from error
    return SocketLink(connection, port)


class SocketLink:
    """A connected stream socket."""

    def __init__(self, connection: socket.socket, name: str) -> None:
        self.name = name
        self._socket = connection
        if connection.family in (socket.AF_INET, socket.AF_INET6):
            connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)

    def read(self, timeout_s: float) -> bytes:
        self._socket.settimeout(max(timeout_s, 1e-3))
        try:
            data = self._socket.recv(65536)
        except TimeoutError:
            return b""
        except OSError as error:
            raise gone(self.name, str(error)) from error
        if not data:
            raise gone(self.name, "the other end closed it")
        return data

    def write(self, data: bytes, timeout_s: float) -> None:
        self._socket.settimeout(max(timeout_s, 1e-3))
        try:
            self._socket.sendall(data)
        except TimeoutError as error:
            raise blocked(self.name, timeout_s) from error
        except OSError as error:
            raise gone(self.name, str(error)) from error

    def close(self) -> None:
        self._socket.close()


class SerialLink:
    """A serial port, by pyserial; opened for this program alone where the system can do that."""

    def __init__(self, name: str, baud: int) -> None:
        try:
            import serial  # type: ignore[import-untyped,unused-ignore]
        except ImportError as error:
            raise ToolchainError(
                "E501", "pyserial is not installed", help="pip install 'mcuc[flash]'"
            ) from error
        self.name = name
        self._errors = (OSError, serial.SerialException)  # the latter is an OSError of its own
        self._timeout = serial.SerialTimeoutException
        try:
            self._port = serial.Serial(name, baud, timeout=0.1, exclusive=True)
        except (OSError, ValueError) as error:
            raise _cannot_open(name, error) from error

    def read(self, timeout_s: float) -> bytes:
        try:
            self._port.timeout = timeout_s
            first: bytes = self._port.read(1)
            rest: bytes = self._port.read(self._port.in_waiting) if first else b""
        except self._errors as error:
            raise gone(self.name, str(error)) from error
        return first + rest

    def write(self, data: bytes, timeout_s: float) -> None:
        try:
            self._port.write_timeout = timeout_s
            self._port.write(data)
        except self._timeout as error:
            raise blocked(self.name, timeout_s) from error
        except self._errors as error:
            raise gone(self.name, str(error)) from error

    def close(self) -> None:
        self._port.close()


def gone(name: str, why: str) -> PortError:
    """E524: the device's end of the line is no longer there."""
    return PortError(
        "E524",
        f"the port {name} went away",
        why=why,
        help="was the board unplugged or the emulator ended? connect it and run again",
    )


def blocked(name: str, timeout_s: float) -> PortError:
    """E525: bytes are not taken."""
    return PortError(
        "E525",
        f"the port {name} takes no bytes",
        why=f"nothing was taken within {timeout_s:.3g} s",
        help="is it the right port? does flow control hold it?",
    )


def _cannot_open(name: str, error: Exception) -> PortError:
    number = getattr(error, "errno", None)
    text = str(error)
    if number in (errno.EBUSY, errno.EAGAIN) or "busy" in text or "exclusively lock" in text:
        return PortError(
            "E521",
            f"the port {name} is in use",
            why=text,
            help="close the terminal or the other program that has it open",
        )
    if number in (errno.EACCES, errno.EPERM) or "ermission" in text:
        return PortError(
            "E522",
            f"no permission to open {name}",
            why=text,
            help="on Linux: sudo usermod -aG dialout $USER, then log in again",
        )
    return PortError(
        "E520", f"there is no port {name}", why=text, help="is the board connected? see its name"
    )
