"""What a case may do. A function has the name of its step, and its parameters are the step's keys."""

from conformance.steps import embedding, files, load, loops, processes, runs, storage

__all__ = ["embedding", "files", "load", "loops", "processes", "runs", "storage"]
