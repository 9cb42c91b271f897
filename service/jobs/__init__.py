"""Index runs that the service starts: each in a child process, one at a time, followed and ended as jobs."""
