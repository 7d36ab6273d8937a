"""Integer arithmetic of the rule sets: primitives, parameters, operators."""
