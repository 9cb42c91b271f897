"""The JSON of wikitrail: what requests may hold and what answers do, for HTTP and for `--json`."""
