"""Printers of results: text for people, JSON and JSON Lines for machines. They decide nothing."""
