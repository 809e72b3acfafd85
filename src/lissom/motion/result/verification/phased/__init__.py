"""What is verified of motions with contacts: forces, the base, replayed segments, the task."""
