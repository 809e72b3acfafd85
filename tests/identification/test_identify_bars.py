"""What identification promises, on synthetic logs with a known truth and on a real machine."""

import time

import numpy as np
import pytest
from tests.identification import kr300
from tests.identification.test_identify import recorded, wrong

import lissom as ls
from lissom.identification.fit.consistent import Objective, Prior, consistent_fit
from lissom.identification.fit.pseudo_inertia import BASIS, pseudo_inertia
from lissom.identification.result.predictor import TorquePredictor

pytestmark = pytest.mark.slow
TRIALS = 20


@pytest.mark.parametrize("friction", ["viscous+coulomb+offset", "auto"])
def test_deviations_hold_for_coloured_noise(friction):
    """Twenty logs of 30 s: z-scores of all parameters are standard normal."""
    arm, z = ls.load("puma560"), []
    for seed in range(TRIALS):
        log = recorded(arm, seed, duration=30.0, level=0.02)
        q = log.q + 1e-5 * np.random.default_rng(seed).normal(size=log.q.shape)
        table = ls.identify(arm, ls.Log(t=log.t, q=q, tau=log.tau), friction=friction).table
        z.append((table.values - table.prior) / table.std)
    z = np.concatenate(z)
    print("z: std", z.std(), "within two", np.mean(np.abs(z) < 2))
    assert 0.9 < z.std() < 1.1
    assert 0.93 < np.mean(np.abs(z) < 2) < 0.97


def problem(seed=0, bodies=6):
    """Rows of a fit whose best bodies without constraints cannot exist."""
    rng = np.random.default_rng(seed)
    arm = ls.load("puma560")
    samples = recorded(arm, seed, duration=10.0)
    qd = np.gradient(samples.q, samples.t, axis=0)
    Y = ls.regressor(arm, samples.q, qd, np.gradient(qd, samples.t, axis=0))[::5].reshape(-1, 60)
    A = np.column_stack([Y, np.repeat(qd[::5].reshape(-1, 1), 1, axis=1)])
    truth = np.append(ls.inertial_parameters(arm), 2.0)
    b = A @ truth + 0.5 * rng.normal(size=len(A))
    R = np.linalg.qr(np.column_stack([A, b]), mode="r")
    cloud = rng.normal(size=(bodies, 8, 4)) * np.array([0.3, 0.2, 0.2, 1.0])
    P = np.einsum("nka,nkb->nab", cloud, cloud) + 0.05 * np.eye(4)
    return 2 * R[:61, :61], 2 * R[:61, 61], Prior(P, np.array([60]), np.array([1.0]))


def test_the_consistent_fit_is_quick_and_minimal():
    """Against Clarabel, an interior-point method of its own: the same cost within 1e-4."""
    R, z, prior = problem()
    consistent_fit(R, z, prior, 1.0, np.ones(61))
    began = time.process_time()
    x = consistent_fit(R, z, prior, 1.0, np.ones(61))
    assert time.process_time() - began < 0.2
    assert (np.linalg.eigvalsh(pseudo_inertia(x[:60]))[:, 0] > 0).all()
    cost = Objective(R, z, prior, 1.0).value(x)
    cp = pytest.importorskip("cvxpy")
    free = cp.Variable(61)
    value = 0.5 * cp.sum_squares(R @ free - z) + 1e-3 * (free[60] - cp.log(free[60]) - 1)
    P0 = np.linalg.inv(prior.bodies)
    for i in range(6):
        P = sum(free[10 * i + k] * BASIS[k] for k in range(10))
        value += cp.trace(P0[i] @ P) - cp.log_det(P) + np.linalg.slogdet(prior.bodies[i])[1] - 4
    program = cp.Problem(cp.Minimize(value))
    program.solve(solver=cp.CLARABEL)
    print("cost", cost, "of Clarabel", program.value)
    assert cost == pytest.approx(program.value, rel=1e-4)


def test_a_whole_identification_takes_seconds():
    """30 s at 100 Hz, six joints, warm."""
    arm = ls.load("puma560")
    log = recorded(arm, duration=30.0)
    ls.identify(wrong(arm), log)
    began = time.process_time()
    ls.identify(wrong(arm), log)
    spent = time.process_time() - began
    print("CPU seconds", spent)
    assert spent < 5.0


def test_the_kr300_trained_on_one_run():
    """Held-out runs B and C: better than plain least squares on axes 1 to 5, and than CAD."""
    logs, arm = kr300.logs(), kr300.arm()
    options = {"friction": kr300.FRICTION, "extra": {"counterbalance": kr300.counterbalance}, "strength": 100.0}
    found = ls.identify(arm, logs["A"], cutoff_hz=8.0, skew=None, **options)
    model, free = found.predictor.model, found.table
    names, plain = model.terms.names, np.zeros(len(model.terms.names))
    plain[[names.index(name.split(" ")[0]) for name in free.names]] = free.values
    cad = np.where(np.array(names) == "counterbalance", 1.0, model.terms.prior)
    errors = {k: found.check(logs[k]).rmse for k in "BC"}

    def other(x, k):
        return TorquePredictor(model, x, 8.0, found.skew).fit(logs[k]).rmse

    assert np.abs(1e3 * found.encoder_skew[:3] - 3.0).max() < 0.1
    assert np.isnan(found.encoder_skew[3:]).all()
    ratio = {k: errors[k] / other(plain, k) for k in "BC"}
    print("KR300, trained on A", {k: errors[k].round() for k in "BC"}, ratio, errors["B"] / other(cad, "B"))
    assert (ratio["B"][:5] < 0.75).all()
    assert (ratio["C"][:4] < 0.75).all()
    assert ratio["C"][4] < 0.85
    assert (errors["B"] < other(cad, "B")).all()
