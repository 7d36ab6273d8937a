"""The version of mcuc, at the bottom: all layers may say it."""

__version__ = "0.1.0"
