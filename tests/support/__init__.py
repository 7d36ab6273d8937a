"""Tools that several test folders share."""
