"""From a model file to C, sizes and a report: which stages run in which order."""
