"""Films of short motions: how to slow them down is said, and `lissom plot` does."""

from typer.testing import CliRunner

import lissom as ls
from lissom.cli.main import app


def test_short_films_name_the_speed(tmp_path):
    run = ls.simulate(ls.load("two_link"), [0.3, 0.1], until=0.1)
    run.save(tmp_path / "run.nc")
    given = ["plot", str(tmp_path / "run.nc"), "--film", str(tmp_path / "run.gif")]
    assert "--speed 0.1 shows the motion ten times slower" in CliRunner().invoke(app, given).stderr
    slow = CliRunner().invoke(app, [*given, "--speed", "0.08"])
    assert slow.exit_code == 0
    assert "ten times slower" not in slow.stderr
