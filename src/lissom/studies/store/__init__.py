"""Rows that were evaluated: in memory, or in a folder of Parquet files."""
