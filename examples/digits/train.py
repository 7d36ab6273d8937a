"""Train the digits example and write `digits_int8.tflite` and `digits_test.npz` beside this script.

Both are stored: run this only to rebuild them, after `pip install tensorflow-cpu scikit-learn`.
"""

import importlib
import sys
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

Bytes = npt.NDArray[np.uint8]

HERE = Path(__file__).resolve().parent
SEED = 7
PIXEL_MAX = 16.0
EPOCHS, BATCH = 40, 64
LEARNING_RATE = 4e-3


def require(module: str) -> Any:
    """Import an optional training dependency, or stop with the way to install it."""
    try:
        return importlib.import_module(module)
    except ImportError as error:
        sys.exit(
            f"train.py: {error}\nRetraining needs: pip install tensorflow-cpu scikit-learn\n"
            "The stored digits_int8.tflite and digits_test.npz work without them."
        )


def load_split() -> tuple[Bytes, Bytes, Bytes, Bytes]:
    """Return x_train, x_test, y_train, y_test; x is [N,8,8,1] pixels 0..16, y is [N] digits."""
    digits = require("sklearn.datasets").load_digits()
    x, y = digits.images.astype(np.uint8)[..., np.newaxis], digits.target.astype(np.uint8)
    split = require("sklearn.model_selection").train_test_split
    x_train, x_test, y_train, y_test = split(x, y, test_size=360, random_state=SEED, stratify=y)
    return x_train, x_test, y_train, y_test


def to_real(pixels: Bytes) -> npt.NDArray[np.float32]:
    """Map pixels 0..16 to the model's real input, float32 0..1."""
    return (pixels / PIXEL_MAX).astype(np.float32)


def build_model(tf: Any) -> Any:
    """Return the Keras model: [N,8,8,1] float32 in 0..1 to [N,10] class probabilities."""
    layers = tf.keras.layers

    def normalised(x: Any, layer: Any) -> Any:
        return layers.BatchNormalization(momentum=0.9)(layer(x))

    def conv(x: Any, channels: int, kernel: int) -> Any:
        return normalised(x, layers.Conv2D(channels, kernel, padding="same", use_bias=False))

    def depthwise(x: Any, stride: int) -> Any:
        return normalised(x, layers.DepthwiseConv2D(3, stride, padding="same", use_bias=False))

    inputs = layers.Input((8, 8, 1))
    stem = layers.ReLU()(conv(inputs, 16, 3))
    # Inverted residual block: expand, filter per channel, project linearly, skip.
    x = layers.ReLU(6.0)(conv(stem, 96, 1))
    x = layers.ReLU(6.0)(depthwise(x, 1))
    x = layers.Add()([stem, conv(x, 16, 1)])
    # Depthwise separable convolution, 8x8 to 4x4.
    x = layers.ReLU()(depthwise(x, 2))
    x = layers.ReLU()(conv(x, 64, 1))
    x = layers.GlobalAveragePooling2D()(x)
    return tf.keras.Model(inputs, layers.Dense(10, activation="softmax")(x))


def train(tf: Any, images: Bytes, labels: Bytes) -> Any:
    """Fit for a fixed number of epochs, so that the test split steers nothing."""
    # The images and their copies shifted by one pixel up, down, left and right: [5N,8,8,1].
    padded = np.pad(images, ((0, 0), (1, 1), (1, 1), (0, 0)))
    offsets = [(1, 1), (0, 1), (2, 1), (1, 0), (1, 2)]
    x = to_real(np.concatenate([padded[:, dy : dy + 8, dx : dx + 8] for dy, dx in offsets]))
    y = np.tile(labels, len(offsets))
    decay = tf.keras.optimizers.schedules.CosineDecay
    rate = decay(LEARNING_RATE, EPOCHS * -(-len(x) // BATCH))
    optimizer = tf.keras.optimizers.AdamW(rate)
    model = build_model(tf)
    model.compile(optimizer, "sparse_categorical_crossentropy", metrics=["accuracy"])
    model.fit(x, y, batch_size=BATCH, epochs=EPOCHS, verbose=2)
    return model


def convert(tf: Any, model: Any, calibration: Bytes) -> bytes:
    """Quantise to int8, input and output too, with the ranges seen on `calibration` [N,8,8,1]."""
    converter = tf.lite.TFLiteConverter.from_keras_model(model)
    converter.optimizations = [tf.lite.Optimize.DEFAULT]
    converter.representative_dataset = lambda: ([x[np.newaxis]] for x in to_real(calibration))
    converter.target_spec.supported_ops = [tf.lite.OpsSet.TFLITE_BUILTINS_INT8]
    converter.inference_input_type = converter.inference_output_type = tf.int8
    return bytes(converter.convert())


def strip(flatbuffer: bytes) -> bytes:
    """Drop metadata and signatures, fix the batch at 1 and give the tensors short names."""
    flatbuffers = require("tensorflow.lite.tools.flatbuffer_utils")
    model = flatbuffers.convert_bytearray_to_object(bytearray(flatbuffer))
    model.metadata = model.signatureDefs = model.metadataBuffer = None
    graph = model.subgraphs[0]
    for position, op in enumerate(graph.operators):
        kind = flatbuffers.opcode_to_name(model, op.opcodeIndex)
        name = f"{kind.lower()}_{position}"
        roles = {"MEAN": ["axes"], "ADD": [], "SOFTMAX": []}.get(kind, ["weights", "bias"])
        for index, role in zip(op.inputs[1:], roles, strict=False):
            graph.tensors[index].name = f"{name}/{role}"
        graph.tensors[op.outputs[0]].name = name
    source, sink = graph.tensors[graph.inputs[0]], graph.tensors[graph.outputs[0]]
    source.name, sink.name = "image", "probabilities"
    for tensor in graph.tensors:
        tensor.shapeSignature = None
    return bytes(flatbuffers.convert_object_to_bytearray(model))


def int8_accuracy(tf: Any, flatbuffer: bytes, images: Bytes, labels: Bytes) -> float:
    """Return the share of right answers of the int8 model under TFLite's reference kernels."""
    resolver = tf.lite.experimental.OpResolverType.BUILTIN_REF
    run = tf.lite.Interpreter(model_content=flatbuffer, experimental_op_resolver_type=resolver)
    source, sink = run.get_input_details()[0], run.get_output_details()[0]
    run.resize_tensor_input(source["index"], images.shape)
    run.allocate_tensors()
    scale, zero_point = source["quantization"]
    x = np.clip(np.rint(to_real(images) / scale) + zero_point, -128, 127).astype(np.int8)
    run.set_tensor(source["index"], x)
    run.invoke()
    return float(np.mean(np.argmax(run.get_tensor(sink["index"]), axis=1) == labels))


def main() -> None:
    """Train, convert, store both files and print the measured accuracies."""
    tf = require("tensorflow")
    x_train, x_test, y_train, y_test = load_split()
    tf.keras.utils.set_random_seed(SEED)
    tf.config.experimental.enable_op_determinism()
    model = train(tf, x_train, y_train)
    flatbuffer = strip(convert(tf, model, x_train))
    (HERE / "digits_int8.tflite").write_bytes(flatbuffer)
    np.savez_compressed(HERE / "digits_test.npz", x=x_test, y=y_test)
    print(f"float accuracy {model.evaluate(to_real(x_test), y_test, verbose=0)[1]:.4f}")
    print(f"int8 accuracy  {int8_accuracy(tf, flatbuffer, x_test, y_test):.4f}")


if __name__ == "__main__":
    main()
