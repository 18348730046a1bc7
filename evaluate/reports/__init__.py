"""Parts of reports: HTML pages and tables."""
