"""A language model chooses pages: the port, what the model sees and says, and the adapter that asks it."""
