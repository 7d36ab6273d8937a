"""The two levels of the compiler: `Graph` (what to compute) and `Program` (how, where, when)."""
