"""Rules that wikis add to Markdown, each a module with `extend(parser)`."""
