"""report.json and report.html: what was built, what it costs, what was proven."""
