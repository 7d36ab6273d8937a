"""What programmers print when they fail -> what happened and what to do."""

from __future__ import annotations

import re
from dataclasses import dataclass

from mcuc.errors import DeviceTimeoutError, McucError, ToolchainError

UDEV_RULE = (
    'as root: echo \'SUBSYSTEMS=="usb", ATTRS{idVendor}=="0483", MODE="0660", TAG+="uaccess"\' > '
    "/etc/udev/rules.d/69-stlink.rules, then udevadm control --reload and plug the board in again "
    "(1d50 instead of 0483 for a Black Magic Probe, 1366 for a J-Link; for a serial port: "
    "usermod -aG dialout USER, and log in again)"
)
_LAST_LINES = 12


@dataclass(frozen=True)
class Cause:
    """One way to fail.

    Attributes:
        code: Error code.
        pattern: In the tool's output, whatever the case.
        what: One sentence.
        help: What to do.
        retry: A slower connection while the chip is held in reset may help.
    """

    code: str
    pattern: str
    what: str
    help: str
    retry: bool = False


# The first that matches is taken: specific ones first.
CAUSES = (
    Cause(
        "E555",
        r"LIBUSB_ERROR_ACCESS|insufficient permissions|permission denied|access denied",
        "no permission to use the programmer or port",
        UDEV_RULE,
    ),
    Cause(
        "E554",
        r"LIBUSB_ERROR_BUSY|device (?:or resource )?(?:is )?busy|resource busy|unable to claim"
        r"|couldn't claim|already in use|exclusively lock",
        "another program uses the programmer or port",
        "close debuggers, serial monitors and other uploads, then try again",
    ),
    Cause(
        "E501",
        r"(?:openocd|JLinkExe|JLink\.exe|dfu-util|arm-none-eabi-gdb|stm32flash)\S*"
        r": (?:command )?not found",
        "the programmer's software is not installed",
        "PlatformIO installs it at the first upload, which needs the network; or install it and "
        "put it on the PATH",
    ),
    Cause(
        "E551",
        r"no DFU capable USB device|no such DFU device",
        "no chip in DFU mode was found",
        "hold BOOT0 while you reset the board, and use the chip's own USB connector",
    ),
    Cause(
        "E551",
        r"open failed|no (?:matching )?(?:device|probe|ST-?LINK|J-?Link)[^\n]{0,20} "
        r"(?:found|detected)|unable to find (?:a )?(?:matching|CMSIS-DAP)|LIBUSB_ERROR_NO_DEVICE"
        r"|cannot connect to J-Link|connecting to (?:J-Link|the probe)[^\n]*failed",
        "no programmer was found",
        "plug the board in by the connector named ST-LINK, with a cable that carries data; lsusb "
        "must list it",
    ),
    Cause(
        "E557",
        r"readout protect|device protected|flash[^\n]{0,20}(?:write )?protected|RDP level",
        "the chip's flash is protected",
        "remove the protection with STM32CubeProgrammer (option bytes, RDP level 0): that erases "
        "the chip",
    ),
    Cause(
        "E558",
        r"verify failed|verification failed|checksum mismatch|contents differ|mis-?matched!",
        "what was written differs from the program",
        "write again; if it stays so: power supply, a worn flash, or a program that is too large",
    ),
    Cause(
        "E559",
        r"unexpected idcode|cannot identify target|unknown device id|wrong (?:device|target)",
        "the chip is not the one that the project is for",
        "compile for the board that is plugged in; `mcuc boards` lists boards",
    ),
    Cause(
        "E553",
        r"init mode failed|unable to connect to the target|cannot read IDR|examination failed"
        r"|target not (?:halted|examined)|timed out while waiting for target|no target device"
        r"|could not connect to target|attach failed|SW-?DP scan failed"
        r"|target voltage (?:may be )?too low",
        "the programmer is there, but the chip does not answer",
        "is the board powered and are its jumpers in place? Hold the reset button while the upload "
        "starts; a program that sleeps or uses the debug pins blocks the connection",
        retry=True,
    ),
    # No failure of its own: OpenOCD says it whenever it rounds. Taken only if nothing else is said.
    Cause(
        "E553",
        r"unable to match requested speed",
        "the upload failed after the programmer chose another speed",
        "the line on the speed is harmless; try another cable and a slower adapter speed",
        retry=True,
    ),
)


def cause_of(text: str) -> Cause | None:
    """What the output of a failed upload says; None when it says nothing known."""
    return next((c for c in CAUSES if re.search(c.pattern, text, re.IGNORECASE)), None)


def upload_error(text: str, attempts: int) -> McucError:
    """The error of a failed upload.

    Args:
        text: What the tools printed.
        attempts: How often it was tried.
    """
    lines = [line.rstrip() for line in text.splitlines() if line.strip()]
    cause = cause_of(text)
    words = "\n".join(lines[-_LAST_LINES:])
    data = {"attempts": attempts, "output": "\n".join(lines[-200:])}
    if cause is None:
        return ToolchainError(
            "E556",
            "the upload failed",
            why=words,
            help="the last lines above are the programmer's own words",
            data=data,
        )
    said = next((x for x in lines if re.search(cause.pattern, x, re.IGNORECASE)), words)
    tried = ", also while the chip was held in reset" if cause.retry and attempts > 1 else ""
    return ToolchainError(
        cause.code, cause.what + tried, why=said.strip(), help=cause.help, data=data
    )


_HELP_WHEN_LATE = {
    "the build": "the first build downloads a compiler and a programmer: is there a network? "
    "--timeout gives it more time",
    "the upload": "unplug the board and plug it in again; hold reset while the upload starts; "
    "--timeout gives it more time",
}


def too_long(what: str, timeout_s: float) -> DeviceTimeoutError:
    """E629: ended from outside."""
    return DeviceTimeoutError(
        "E629",
        f"{what} did not end within {timeout_s:g} s",
        why="it was stopped, with all that it had started",
        help=_HELP_WHEN_LATE.get(what, "give it more time"),
        data={"timeout_s": timeout_s},
    )
