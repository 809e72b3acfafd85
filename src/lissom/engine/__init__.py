"""The engine: arithmetic into SIMD machine code. It knows steps, lanes and arrays, not robots.

A *step* is a small function on lists of scalars (`program.Step`). A *program* is a Python function
that calls steps in an order of its own. The same program runs on NumPy arrays (`program.Plain`), is
inlined into one straight-line graph (`program.Inline`), or is recorded as a tape of step calls
(`program.Recorder`). Graphs (`graph`) become LLVM IR on lanes (`ir`, `straight`, `tape`), then
machine code (`compile`), kept on disk (`cache`), called on batches or one state through builtins
(`kernel`, `native`), as functions of arrays of any shape (`function`). The same graphs and tapes become C for other
machines (`c99`).
"""
