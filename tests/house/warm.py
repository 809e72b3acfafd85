"""A process that has imported lissom and what it uses, and runs one script after another, each in a child of its own.

Most of the time of a short script is that of its imports. A child has them at hand, and nothing of the scripts before.
Lines of JSON come in (`script`, `arguments`, `folder`, `out`, `err`); the exit code of each script goes out.
"""

import gc
import json
import os
import signal
import sys
import threading
import types

LONGEST = 600  # seconds; a script that hangs is ended


def warm_up():
    import casadi  # noqa: F401
    import h5py  # noqa: F401
    import matplotlib.pyplot  # noqa: F401
    import scipy.integrate
    import scipy.interpolate
    import scipy.optimize
    import scipy.signal  # noqa: F401
    import xarray  # noqa: F401

    import lissom

    for name in lissom.__all__:
        getattr(lissom, name)
    assert threading.active_count() == 1  # a fork would lose the others
    gc.freeze()  # collections in children leave these pages alone


def serve():
    """Fork for every line; returns in the child, with what it is to run."""
    for line in sys.stdin:
        asked = json.loads(line)
        child = os.fork()
        if child == 0:
            return asked
        _, status = os.waitpid(child, 0)
        print(os.waitstatus_to_exitcode(status), flush=True)
    raise SystemExit


def become(asked):
    """Be the script: its output, folder, arguments and main module."""
    signal.alarm(LONGEST)
    for k, word in enumerate(("out", "err"), start=1):
        os.dup2(os.open(asked[word], os.O_WRONLY | os.O_CREAT), k)
    os.dup2(os.open(os.devnull, os.O_RDONLY), 0)
    os.chdir(asked["folder"])
    script = asked["script"]
    sys.argv, sys.path[0] = [script, *asked["arguments"]], os.path.dirname(script)
    main = types.ModuleType("__main__")
    main.__file__ = script
    sys.modules["__main__"] = main
    with open(script, encoding="utf-8") as file:
        exec(compile(file.read(), script, "exec"), main.__dict__)


if __name__ == "__main__":
    warm_up()
    become(serve())
