"""What models are run with: random vectors, files of arrays, images, labelled samples."""
