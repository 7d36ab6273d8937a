"""Report documents of made-up programs: the smallest, a typical, a streamed and a huge one."""

from __future__ import annotations

from typing import Any

Json = dict[str, Any]


def place(buffers: list[Json], region: str) -> int:
    """First fit, largest first; returns the end of the highest buffer."""
    placed: list[Json] = []
    for b in sorted(buffers, key=lambda b: -b["bytes"]):
        offset = 0
        for other in sorted(placed, key=lambda o: o["offset"]):
            apart = other["last"] < b["first"] or other["first"] > b["last"]
            if apart or other["offset"] + other["bytes"] <= offset:
                continue
            if offset + b["bytes"] <= other["offset"]:
                break
            offset = -(-(other["offset"] + other["bytes"]) // 4) * 4
        b["offset"], b["region"] = offset, region
        placed.append(b)
    return max((b["offset"] + b["bytes"] for b in buffers), default=0)


def buffer(label: str, kind: str, size: int, first: int, last: int) -> Json:
    return {
        "label": label,
        "kind": kind,
        "bytes": size,
        "first": first,
        "last": last,
        "region": "sram",
        "offset": 0,
    }


def layer(index: int, op: str, name: str, shape: list[int], macs: int, ram: int) -> Json:
    return {
        "index": index,
        "name": name,
        "op": op,
        "shape": shape,
        "macs": macs,
        "kernel": f"mcuc_{op.lower()}_s8_s8_s8__dsp_2x2",
        "proofs": [{"claim": "pairs", "outputs": 8, "least": -9000, "most": 9000}],
        "instructions": None,
        "ram_bytes": ram,
    }


def segment(kind: str, label: str, steps: list[int], live: int) -> Json:
    return {"kind": kind, "label": label, "steps": steps, "live_bytes": live}


def live_at(buffers: list[Json], moment: int) -> int:
    return sum(b["bytes"] for b in buffers if b["first"] <= moment <= b["last"])


def assemble(
    buffers: list[Json], segments: list[Json], layers: list[Json], name: str, kind: str = "layer"
) -> Json:
    """A document around buffers of one region; nothing is measured."""
    used = place(buffers, "sram")
    for i, s in enumerate(segments):
        s["live_bytes"] = live_at(buffers, i)
    for i, entry in enumerate(layers):
        entry["ram_bytes"] = live_at(buffers, min(i, len(segments) - 1))
    moment = max(range(len(segments)), key=lambda i: live_at(buffers, i), default=0)
    live = sorted(
        (b for b in buffers if b["first"] <= moment <= b["last"]), key=lambda b: -b["bytes"]
    )
    macs = sum(entry["macs"] for entry in layers)
    weights = max(64, macs // 35)
    port = {
        "name": "image",
        "shape": [1, 96, 96, 3],
        "dtype": "s8",
        "scale": 0.007843137718737125,
        "zero_point": -1,
    }
    return {
        "schema": 1,
        "mcuc": "0.1.0",
        "model": {"file": f"{name}.tflite", "sha256": "5b1e" * 16, "name": name},
        "board": {"id": "nucleo_f446re", "core": "cortex-m4"},
        "options": {"optimize": "balanced", "schedule": "auto", "ram": None, "verify": True},
        "numerics": "litert-2.3",
        "inputs": [port],
        "outputs": [{**port, "name": "scores", "shape": [1, 2], "scale": None, "zero_point": None}],
        "memory": {
            "arena_bytes": used,
            "state_bytes": 0,
            "static_bytes": None,
            "stack_bytes": None,
            "total_bytes": used,
            "lower_bound_bytes": live_at(buffers, moment),
            "solver": "greedy",
            "optimal": used == live_at(buffers, moment),
            "regions": [{"name": "sram", "used_bytes": used, "size_bytes": 131072}],
            "buffers": buffers,
            "peak": {
                "segment": moment,
                "layer": layers[min(moment, len(layers) - 1)]["name"],
                "live_bytes": live_at(buffers, moment),
                "live": [{k: b[k] for k in ("label", "kind", "bytes")} for b in live],
                "advice": [f"{live[0]['label']} ({live[0]['bytes']:,} B) is held whole"],
            }
            if buffers
            else None,
        },
        "flash": {
            "weights_bytes": weights,
            "code_bytes": None,
            "total_bytes": None,
            "limit_bytes": 524288,
            "symbols": {},
            "compiler": "",
        },
        "macs": {"model": macs, "layer_by_layer": macs, "executed": macs},
        "schedule": {"kind": kind, "segments": segments},
        "layers": layers,
        "run": None,
        "verify": None,
        "accuracy": None,
        "notes": ["RESHAPE op 28 is free: the tensor keeps its bytes"],
    }


def measured(document: Json) -> Json:
    """The same with everything measured, and verified."""
    memory, flash = document["memory"], document["flash"]
    memory.update(static_bytes=1140, stack_bytes=812, total_bytes=memory["arena_bytes"] + 1952)
    code = 21844
    names = [f"mcuc_conv2d_s8_s8_s8__dsp_{i}x2" for i in range(20)]
    symbols = {n: 2400 // (i + 1) for i, n in enumerate(names)}
    symbols["model_weights"] = flash["weights_bytes"]
    flash.update(
        code_bytes=code,
        total_bytes=flash["weights_bytes"] + code,
        symbols=symbols,
        compiler="arm-none-eabi-gcc 12.2.1",
    )
    for i, entry in enumerate(document["layers"]):
        entry["instructions"] = entry["macs"] * (3 if i % 2 else 2) + 4000
    count = sum(entry["instructions"] for entry in document["layers"])
    document["run"] = {"on": "qemu_m4", "instructions": count, "stack_bytes": 788}
    document["verify"] = {
        "on": ["host", "qemu_m4"],
        "vectors": 200,
        "mismatches": 0,
        "first_mismatch": None,
        "against": "litert 2.3.0",
    }
    document["accuracy"] = {"on": "host", "samples": 1000, "correct": 857, "top1": 0.857}
    return document


def smallest() -> Json:
    """One buffer, one layer."""
    buffers = [buffer("x", "input", 16, -1, 1)]
    return assemble(
        buffers, [segment("layer", "", [0], 0)], [layer(0, "RELU", "y", [1, 16], 0, 0)], "tiny"
    )


def typical() -> Json:
    """The shapes of a MobileNet v1 with width 0.25 on 96x96 pixels."""
    buffers = [buffer("input_1", "input", 96 * 96 * 3, -1, 0)]
    layers, segments = [], []
    size, channels = 48, 8
    macs = 48 * 48 * 8 * 27
    plan = [("CONV_2D", 48, 8, macs)]
    for stride, out in [
        (1, 16),
        (2, 32),
        (1, 32),
        (2, 64),
        (1, 64),
        (2, 128),
        (1, 128),
        (1, 128),
        (1, 128),
        (1, 128),
        (1, 128),
        (2, 256),
        (1, 256),
    ]:
        size //= stride
        plan.append(("DEPTHWISE_CONV_2D", size, channels, size * size * channels * 9))
        plan.append(("CONV_2D", size, out, size * size * channels * out))
        channels = out
    plan += [("AVERAGE_POOL_2D", 1, 256, 0), ("FULLY_CONNECTED", 1, 2, 512), ("SOFTMAX", 1, 2, 0)]
    for i, (op, side, depth, work) in enumerate(plan):
        last = i == len(plan) - 1
        name = f"mobilenet/conv{i}/Relu6;mobilenet/conv{i}/BatchNorm;mobilenet/conv{i}/Conv2D"
        buffers.append(
            buffer(
                "scores" if last else name,
                "output" if last else "activation",
                side * side * depth,
                i,
                i + 1,
            )
        )
        if "CONV" in op:
            buffers.append(buffer(f"scratch of {op} {i}", "scratch", 36 * depth, i, i))
        layers.append(layer(i, op, name, [1, side, side, depth], work, 0))
        segments.append(segment("layer", "", [i], 0))
    return assemble(buffers, segments, layers, "mobilenet_v1_025_96")


def streamed() -> Json:
    """A stream, a grid of patches and layers; two regions; a mismatch; recompute."""
    document = measured(typical())
    segments = [segment("stream", "rows 0..48", list(range(5)), 21000)]
    segments += [segment("patch", f"patch {i // 3},{i % 3}", [5 + i], 9000) for i in range(9)]
    segments += [segment("layer", "", [14 + i], 5000) for i in range(20)]
    buffers = document["memory"]["buffers"]
    fast = [buffer(f"{n} rows of conv{n}", "activation", 300 * n, 0, 0) for n in range(1, 6)]
    fast += [buffer("row counters", "progress", 96, 0, 0)]
    used = place(fast, "dtcm")
    buffers += fast
    memory = document["memory"]
    memory["regions"] = [
        {"name": "dtcm", "used_bytes": used, "size_bytes": 65536},
        *memory["regions"],
        {"name": "sram2", "used_bytes": 0, "size_bytes": 16384},
    ]
    memory["arena_bytes"] += used
    memory["total_bytes"] += used
    for i, s in enumerate(segments):
        s["live_bytes"] = live_at(buffers, i)
    document["schedule"] = {"kind": "layer+patch+stream", "segments": segments}
    document["macs"]["executed"] = int(document["macs"]["layer_by_layer"] * 1.21)
    document["verify"].update(
        mismatches=3,
        first_mismatch={"vector": 17, "output": "scores", "index": [0, 1], "got": -3, "want": -2},
    )
    document["layers"][3]["instructions"] = None
    return document


def huge(count: int = 1500) -> Json:
    """As many buffers, segments and layers as asked."""
    name = "network/block_{0}/expand_relu/Relu6;network/block_{0}/expand/Conv2D"
    sizes = [64 * (1 + (i * 37) % 97) for i in range(count)]
    buffers = [
        buffer(name.format(i), "activation", size, i, min(count, i + 1 + (i % 7 == 0) * 9))
        for i, size in enumerate(sizes)
    ]
    layers = [
        layer(i, "CONV_2D", name.format(i), [1, 8, 8, sizes[i] // 64], 9 * sizes[i], 0)
        for i in range(count)
    ]
    segments = [segment("layer", "", [i], 0) for i in range(count)]
    return assemble(buffers, segments, layers, "huge")
