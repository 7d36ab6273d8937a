"""Program and memory plan -> C sources. Everything that computes is here; templates only lay out."""
