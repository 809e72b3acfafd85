"""What a study is: the evaluation, its parameters, their values in every row, and its outputs."""
