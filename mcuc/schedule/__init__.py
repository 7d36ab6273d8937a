"""Graph -> Program: order, segments, kernels, views. The memory plan comes after."""
