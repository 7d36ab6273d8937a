"""Long sweeps over real models, and what they measured."""
