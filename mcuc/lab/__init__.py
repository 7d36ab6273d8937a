"""What stands on the desk: tools, programmers, boards, and the tests that run on them."""
