"""What runtime_c/around/{detect,nms,heat}.h compute, in numpy and written apart from them.

Scores are rounded like the C's, so that order and threshold agree; places are float64.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from mcuc.numerics import float32

Box = tuple[float, float, float, float, float, int]  # top, left, bottom, right, score, class


@dataclass(frozen=True)
class Grid:
    rows: int
    columns: int
    step: tuple[float, float]
    sizes: tuple[tuple[float, float], ...]  # height, width


def real(numbers: np.ndarray, scale: float, zero: int) -> np.ndarray:
    return np.float32(scale) * (numbers.astype(np.float32) - np.float32(zero))


def sigmoid(x: np.ndarray) -> np.ndarray:
    return np.float32(1) / (np.float32(1) + float32.exp(-x.astype(np.float32)))


def anchors(grids: list[Grid]) -> np.ndarray:
    """[N, 6]: cell y, x, step y, x, height, width."""
    return np.array(
        [
            (y, x, *grid.step, *size)
            for grid in grids
            for y in range(grid.rows)
            for x in range(grid.columns)
            for size in grid.sizes or ((1.0, 1.0),)
        ],
        np.float64,
    )


def corners(values: np.ndarray, places: np.ndarray, decode: str) -> np.ndarray:
    """[N, 4] numbers y, x, height, width -> top, left, bottom, right."""
    v = values.astype(np.float64)
    cell, step, size = places[:, 0:2], places[:, 2:4], places[:, 4:6]
    logistic = 1 / (1 + np.exp(-v))
    if decode == "corners":
        return v
    if decode == "center":
        centre, extent = v[:, :2], v[:, 2:]
    elif decode == "yolo_v3":
        centre, extent = (logistic[:, :2] + cell) * step, np.exp(v[:, 2:]) * size
    elif decode == "yolo_v5":
        centre = (2 * logistic[:, :2] - 0.5 + cell) * step
        extent = (2 * logistic[:, 2:]) ** 2 * size
    else:
        centre = v[:, :2] * size + (cell + 0.5) * step
        extent = (np.exp(v[:, 2:]) if decode == "ssd" else v[:, 2:]) * size
    return np.concatenate([centre - extent / 2, centre + extent / 2], axis=1)


def iou(a: Box, b: Box) -> float:
    height = min(a[2], b[2]) - max(a[0], b[0])
    width = min(a[3], b[3]) - max(a[1], b[1])
    shared = max(0.0, height) * max(0.0, width)

    def area(box: Box) -> float:
        return max(0.0, box[2] - box[0]) * max(0.0, box[3] - box[1])

    both = area(a) + area(b) - shared
    return shared / both if both > 0 else 0.0


def suppress(boxes: list[Box], most: int, limit: float, agnostic: bool) -> list[Box]:
    kept: list[Box] = []
    for box in sorted(boxes, key=lambda b: -b[4])[:most]:
        others = [k for k in kept if agnostic or k[5] == box[5]]
        if all(iou(k, box) <= limit for k in others):
            kept.append(box)
    return kept


def detect(
    places: np.ndarray,  # anchors of all rows
    values: np.ndarray,  # [N, 4] real: y, x, height, width
    scores: np.ndarray,  # [N, classes] real
    objects: np.ndarray | None,  # [N] real
    *,
    decode: str,
    sigmoids: bool,
    skipped: int,
    threshold: float,
    limit: float,
    most: int,
    agnostic: bool,
) -> list[Box]:
    """Best first."""
    act = sigmoid if sigmoids else (lambda x: x.astype(np.float32))
    one = np.float32(1)
    found: list[Box] = []
    for row, box in enumerate(corners(values, places, decode)):
        best = int(np.argmax(scores[row, skipped:]))
        score = act(scores[row, skipped + best : skipped + best + 1])[0]
        score = (one if objects is None else act(objects[row : row + 1])[0]) * score
        if score >= np.float32(threshold):
            found.append((*box, float(score), best))
    return suppress(found, most, limit, agnostic)


def heat_objects(
    scores: np.ndarray,  # [rows, columns, classes] real
    skipped: int,
    threshold: float,
) -> list[Box]:
    """Components of cells that touch in any of eight directions or by the boxes around them."""
    rows, columns, classes = scores.shape
    found: list[Box] = []
    for c in range(skipped, classes):
        groups = [
            (y, x, y + 1, x + 1, float(scores[y, x, c]))
            for y in range(rows)
            for x in range(columns)
            if scores[y, x, c] >= threshold
        ]
        merged = True
        while merged:
            merged = False
            for i in range(len(groups)):
                for k in range(i + 1, len(groups)):
                    a, b = groups[i], groups[k]
                    apart = a[0] > b[2] or b[0] > a[2] or a[1] > b[3] or b[1] > a[3]
                    if not apart:
                        low = tuple(map(min, a[:2], b[:2]))
                        high = tuple(map(max, a[2:], b[2:]))
                        groups[i] = (*low, *high)
                        del groups[k]
                        merged = True
                        break
                if merged:
                    break
        for t, left, b, r, s in groups:
            found.append((t / rows, left / columns, b / rows, r / columns, s, c - skipped))
    return sorted(found, key=lambda b: (-b[4], b[0], b[1]))
