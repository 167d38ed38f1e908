"""Results as pages to read, on a screen and on paper: from what the JSON carries, by templates in `reports/html`."""
