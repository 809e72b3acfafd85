"""What runs are stored as: tables, texts, blocks of an ensemble."""
