"""A real cluster for tests: a scheduler and workers that are processes of their own."""

import json
import os
import subprocess
import sys
import time
from contextlib import contextmanager
from pathlib import Path

import lissom

SOURCE, HERE = str(Path(lissom.__file__).parents[1]), Path(__file__).parent
PATH = os.pathsep.join([SOURCE, str(HERE), str(HERE.parents[1])])  # functions of tests, too


class LocalScheduler:
    """A scheduler that cannot import lissom, and its workers, which can unless told otherwise."""

    def __init__(self, folder, port=0):
        self.folder, self.workers = folder, []
        without = folder / "without"
        without.mkdir(exist_ok=True)
        (without / "lissom.py").write_text("raise ImportError('there is none')")
        self.without, file = str(without), folder / f"scheduler_{port}.json"
        self.process = self._begun(
            "scheduler", "--host", "127.0.0.1", "--port", str(port), "--scheduler-file", str(file), path=self.without
        )
        while not file.exists() or not file.read_text().endswith("}"):
            assert self.process.poll() is None
            time.sleep(0.02)
        self.address = json.loads(file.read_text())["address"]

    def worker(self, path=PATH, threads=1):
        """One more."""
        self.workers.append(self._begun("worker", self.address, "--no-nanny", "--nthreads", str(threads), path=path))
        return self.workers[-1]

    def _begun(self, kind, *words, path):
        return subprocess.Popen(
            [sys.executable, "-m", f"distributed.cli.dask_{kind}", *words, "--no-dashboard"],
            stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, cwd=self.folder,
            env=os.environ | {"PYTHONPATH": path},
        )  # fmt: skip

    def end(self):
        """All of it."""
        for process in (*self.workers, self.process):
            process.kill()
            process.wait()


@contextmanager
def scheduler(folder, workers=0, port=0):
    """With so many workers, at a port, or at any."""
    it = LocalScheduler(folder, port)
    try:
        for _ in range(workers):
            it.worker()
        yield it
    finally:
        it.end()
