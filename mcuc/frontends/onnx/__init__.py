"""ONNX files: opset 7 and later, float32 and quantized."""
