"""How often a run touches each buffer: what decides which of them belong into fast memory.

Bytes that the calls of all steps read and write, from the program alone. Kernels that keep values
in registers read less, so these are numbers to compare, not to add up to cycles.
"""

from __future__ import annotations

from mcuc.ir.program import Form, Operand, Program, Step, View


def accesses(program: Program) -> tuple[int, ...]:
    """Bytes read and written in one run, by buffer; inputs and outputs once more from outside."""
    counts = [0] * len(program.buffers)

    def count(buffer: int | None, size: int) -> None:
        if buffer is not None:
            counts[buffer] += size

    for port in (*program.inputs, *program.outputs):
        count(port.view.buffer, port.view.box.height * port.view.row_stride)
    for segment in program.segments:
        rows = sum(step.rows_made for step in segment.steps)
        if segment.progress is not None:  # the loop looks at the counters for every row
            count(segment.progress, rows * program.buffers[segment.progress].size_bytes)
        for step in (leaf for whole in segment.steps for leaf in whole.leaves):
            pixels = _pixels(step)
            written = step.box.height * step.box.width if step.form is Form.FOLD else pixels
            count(step.output.buffer, written * step.shape[2] * step.elem_bytes)
            if step.line is not None:  # every pixel is put there once and taken as often as rows
                moved = pixels * (1 + step.line.rows)
                count(step.line.buffer, moved * _pixel_bytes(step.line))
            for operand in step.inputs:
                count(operand.view.buffer, _read(step, operand, pixels))
            if step.scratch is not None:  # written and read for every pixel
                size = program.buffers[step.scratch].size_bytes - step.scratch_offset
                count(step.scratch, 2 * pixels * size)
    return tuple(counts)


def _pixels(step: Step) -> int:
    """How many pixels a step makes; of a fold, takes."""
    if step.form is Form.WHOLE:
        return 1
    width = step.in_shape[1] if step.form is Form.FOLD else step.box.width
    return step.rows_made * width


def _read(step: Step, operand: Operand, pixels: int) -> int:
    if step.form is Form.WHOLE:
        return operand.view.rows * operand.view.row_stride
    taps = 1
    if step.form is Form.WINDOW and step.window is not None:
        taps = step.window.kernel[0] * step.window.kernel[1]
    return pixels * taps * _pixel_bytes(operand.view)


def _pixel_bytes(view: View) -> int:
    return view.box.channels * view.bits // 8
