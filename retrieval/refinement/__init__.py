"""The second stage of a ranking: its best candidates are looked at more closely, one by one."""
