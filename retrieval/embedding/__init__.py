"""The embedder: a port, its keys, and the adapters that hold a real model. Alone imports model libraries."""
