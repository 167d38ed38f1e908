"""Rule text to syntax tree and back: grammar, layout, tree, errors with their place, formatter."""
