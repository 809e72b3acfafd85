"""What the files of runs, motions and studies share: their text, their values, their tables, and refusals."""
