"""Program and memory plan -> C sources. What computes is here; templates only lay out."""
