import numpy as np
import pytest

from synthlab.exceptions import InputError
from synthlab.synthesizers._transforms import TRANSFORMS, get_transform

VALUES = np.array([0.2, 0.5, 1.0, 3.0, 250.0])


@pytest.mark.parametrize("name", list(TRANSFORMS))
def test_inverse_and_jacobian(name):
    g = get_transform(name)
    np.testing.assert_allclose(g.inverse(g.forward(VALUES)), VALUES, rtol=1e-12)
    step = 1e-6 * VALUES
    slope = (g.forward(VALUES + step) - g.forward(VALUES - step)) / (2 * step)
    np.testing.assert_allclose(g.log_jacobian(VALUES), np.log(slope), atol=1e-6)


@pytest.mark.parametrize("name", ["asinh", "cube_root", None])
def test_negative_values_where_allowed(name):
    g = get_transform(name)
    np.testing.assert_allclose(g.inverse(g.forward(-VALUES)), -VALUES, rtol=1e-12)
    np.testing.assert_allclose(g.log_jacobian(-VALUES), g.log_jacobian(VALUES))


@pytest.mark.parametrize(("name", "bad"), [("log", 0.0), ("log", -1.0), ("log1p", -1.0), ("sqrt", -0.1)])
def test_values_outside_the_domain(name, bad):
    with pytest.raises(InputError, match=f"transform='{name}': needs values .* column 'income' has 1 others"):
        get_transform(name).check(np.array([1.0, bad]), "income")


def test_zero_has_a_square_root():
    get_transform("sqrt").check(np.array([0.0]), "income")
    assert get_transform("sqrt").inverse(np.array([-0.3])).tolist() == [0.0]


def test_unknown_name():
    with pytest.raises(InputError, match="transform='logit': must be one of None, 'log'"):
        get_transform("logit")
