"""The HTTP service. Wiki paths are looked up in the index and never opened."""
