"""Pictures. Matplotlib is loaded when the first one is drawn."""
