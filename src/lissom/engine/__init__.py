"""The engine: arithmetic into SIMD machine code. It knows steps, lanes and arrays, not robots.

A *step* is a small function on lists of scalars (`step.Step`), declared, or made from a pure function of records
(`specialise`). A *program* is a Python function that calls steps in an order of its own, on a *run* (`run`): NumPy
arrays (`program.Plain`), symbols that become one straight-line graph (`program.Inline`), or a tape of step calls
(`record.Recorder`). Graphs (`graph`) become LLVM IR on lanes (`ir`, `straight`, `tape`), then
machine code (`compile`), kept on disk (`cache`), called on batches or one state through builtins
(`kernel`, `native`), as functions of arrays of any shape (`function`). The same graphs and tapes become C for other
machines (`c99`).
"""
