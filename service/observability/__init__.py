"""What operators see of a running service: its log, and what it counts."""
