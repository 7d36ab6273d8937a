"""Post-training quantization: float graphs become integer graphs, and what that costs.

One representation leads through all of it: a float graph with `quantize` and `dequantize` nodes
(QDQ). Calibration chooses ranges (`calibrate`), `insert_qdq` puts the pairs where they belong,
`fold_qdq` turns `dequantize -> float op -> quantize` into the op on integers, `onnx_export` writes
any such graph as an ONNX file.
"""
