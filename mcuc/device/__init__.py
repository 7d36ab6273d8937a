"""Boards, compilers and the places where compiled models run: host, emulator, hardware."""
