"""The composition root: which stages run in which order, and what becomes of their results."""
