"""Memory planning: buffers with lifetimes -> a region and an offset for each."""
