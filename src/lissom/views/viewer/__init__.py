"""`view`: the live viewer in the browser, by viser."""
