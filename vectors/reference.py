"""Privacy numbers to many digits, by methods that share nothing with crates/account.

A *law* is the distribution of the privacy loss Z = ln dP/dQ under P, known through its
cumulant generating function K(z) = ln E e^(zZ). For a composition the K add up, and

    delta(eps) = E (1 - e^(eps-Z))_+ = 1/(2 pi i) int e^(K(z) - z eps) / (z (z+1)) dz

on a vertical line Re z = c > 0; P(Z > t) is the same with 1/z and Q(Z > t) with e^-t/(z+1). On the
line through the saddle point the trapezoid rule converges exponentially. It is an estimate, so
every number is computed on two lines with two sets of steps, and the digits in which the two
agree are those that are claimed. Finite and lattice laws are summed directly instead.

Source: mpmath (any version since 1.0; much faster if gmpy2 is installed).
"""
import math

from mpmath import erfc, exp, log, mp, mpc, mpf, pi, sqrt

mp.dps = 50


class Closed:
    """A law whose K is an elementary function; `cgf` must work for complex mp numbers."""

    def __init__(self, cgf):
        self.cgf = cgf

    def real(self, c):
        with mp.workdps(20):
            return float(self.cgf(mpf(c)).real)

    def table(self, c, step, _target):
        k = 0
        while True:
            yield self.cgf(mpc(c, step * k))
            k += 1


def gaussian(sigma, sensitivity=1):
    eta = (mpf(sensitivity) / mpf(sigma)) ** 2 / 2
    return Closed(lambda z: eta * z * (z + 1))


def pure(eps):
    eps = mpf(eps)
    p = 1 / (1 + exp(-eps))
    return Closed(lambda z: log(p * exp(eps * z) + (1 - p) * exp(-eps * z)))


def laplace(scale):
    """Atoms of 1/2 at mu and e^-mu/2 at -mu, a density e^((z-mu)/2)/4 between."""
    mu = 1 / mpf(scale)

    def cgf(z):
        w = z + mpf(1) / 2
        between = exp(-mu / 2) * (exp(w * mu) - exp(-w * mu)) / (4 * w)
        return log(exp(z * mu) / 2 + exp(-mu - z * mu) / 2 + between)

    return Closed(cgf)


class Line:
    """A law of losses on the real line, by the trapezoid rule on x.

    `log_p(x)` and `loss(x)` take and give mp numbers; both are analytic up to pi sigma^2 away from
    the line, where a mixture of normal densities has its zeros. There e^(iyZ) has grown by e^(pi y)
    for each of the `mixtures`, and its powers may have poles, so the strip stops short of it.
    """

    def __init__(self, sigma, log_p, loss, mixtures=1):
        self.sigma, self.log_p, self.loss, self.mixtures = mpf(sigma), log_p, loss, mixtures
        s, mp.dps = float(sigma), 17
        xs = [mpf(j) * s / 8 for j in range(int(-8 * (40 + 1 / s)), int(8 * (90 + 60 / s)))]
        self.rough = [(float(log_p(x)) + math.log(s / 8), float(loss(x)), float(x)) for x in xs]
        mp.dps = 50

    def real(self, c):
        terms = [b + c * l for b, l, _ in self.rough]
        top = max(terms)
        return top + math.log(math.fsum(math.exp(t - top) for t in terms))

    def nodes(self, c, far, target, fineness):
        s = float(self.sigma)
        d = 0.75 * math.pi * s * s
        h = s * math.sqrt(2 * math.pi**2 / target)
        if d < 2 * math.pi * s * s / h:
            h = min(h, 2 * math.pi * d / (target + 0.75 * math.pi * (far + float(c)) * self.mixtures + d * d / (2 * s * s)))
        h = mpf(h * fineness)
        terms = [(b + float(c) * l, x) for b, l, x in self.rough]
        top = max(t for t, _ in terms)
        inside = [x for t, x in terms if t > top - target - 5]
        low, high = min(inside), max(inside)
        assert low > self.rough[0][2] and high < self.rough[-1][2], "the rough grid is too short"
        xs = [h * j for j in range(int(low / h) - 1, int(high / h) + 2)]
        return [(exp(self.log_p(x)) * h, self.loss(x)) for x in xs]

    def table(self, c, step, target, far=0.0, fineness=1.0):
        nodes = self.nodes(c, far, target, fineness)
        values = [mpc(w * exp(c * l)) for w, l in nodes]
        turns = [exp(mpc(0, step * l)) for _, l in nodes]
        while True:
            yield log(mp.fsum(values))
            values = [v * t for v, t in zip(values, turns)]


def mixture(sigma, q, place):
    """ln((1-q) phi(x) + q phi(x - place)) - ln phi(x)."""
    q, s2 = mpf(q), mpf(sigma) ** 2
    return lambda x: log(1 - q + q * exp((2 * x * place - place * place) / (2 * s2)))


def normal_log_density(sigma):
    s = mpf(sigma)
    return lambda x: -x * x / (2 * s * s) - log(s * sqrt(2 * pi))


def sampled_gaussian(sigma, q, direction):
    """P the sampled mixture and Q normal noise (remove), or the other way round (add)."""
    m, base = mixture(sigma, q, 1), normal_log_density(sigma)
    if direction == "remove":
        return Line(sigma, lambda x: base(x) + m(x), m)
    return Line(sigma, base, lambda x: -m(x))


def sampled_gaussian_replaced(sigma, q):
    """A contribution of +1 exchanged for one of -1."""
    up, down, base = mixture(sigma, q, 1), mixture(sigma, q, -1), normal_log_density(sigma)
    return Line(sigma, lambda x: base(x) + up(x), lambda x: up(x) - down(x), mixtures=2)


class Contour:
    """One line Re z = c for a composition [(times, law)], with K tabulated on it."""

    def __init__(self, parts, c, eps, shift=1.0, fineness=1.0):
        target = 103 + math.log(max(n for n, _ in parts))
        k = total(parts)
        d = 0.02 * c
        v = max((k(c + d) - 2 * k(c) + k(c - d)) / (d * d), 1e-12)
        self.c = mpf(c * shift)
        h = min(math.sqrt(2 * math.pi**2 / (target * v)), 2 * math.pi * c * shift / (target + v * c * c / 2))
        self.h = mpf(h * 0.4 * fineness)  # K grows faster than a parabola to the right
        far = 1.5 * math.sqrt(2 * target / v)
        tables = []
        for n, law in parts:
            extra = {"far": far, "fineness": fineness} if isinstance(law, Line) else {}
            tables.append((n, law.table(self.c, self.h, target, **extra)))
        self.nodes = []
        least = mpf(10) ** -47
        while True:
            z = mpc(self.c, self.h * len(self.nodes))
            value = exp(mp.fsum(n * next(t) for n, t in tables) - z * eps)
            self.nodes.append((z, value))
            if abs(value) < least * abs(self.nodes[0][1]):
                break
            assert len(self.nodes) < 6000, "no decay along the line"
        self.eps = mpf(eps)  # folded into the values

    def integral(self, t, kernel):
        shift = t - self.eps
        terms = [(value * exp(-z * shift) * kernel(z)).real for z, value in self.nodes]
        return (mp.fsum(terms) - terms[0] / 2) * self.h / pi

    def delta(self, eps):
        return self.integral(eps, lambda z: 1 / (z * (z + 1)))

    def above(self, t):
        """P(Z > t)."""
        return self.integral(t, lambda z: 1 / z)

    def above_under_q(self, t):
        """Q(Z > t)."""
        return exp(-t) * self.integral(t, lambda z: 1 / (z + 1))

    def epsilon(self, delta):
        eps, delta = self.eps, mpf(delta)
        for _ in range(60):
            found = self.delta(eps)
            slope = self.integral(eps, lambda z: 1 / (z + 1))
            step = log(found / delta) * found / slope
            eps += step
            if abs(step) < mpf(10) ** -45:
                return eps
        raise ArithmeticError("Newton's method did not converge")


def total(parts):
    return lambda c: math.fsum(n * law.real(c) for n, law in parts)


def saddle(parts, eps=None, delta=None):
    """c and eps of the saddle point that belongs to the given eps or delta, roughly."""
    k = total(parts)

    def at(c):
        d = 0.01 * c
        low, mid, high = k(c - d), k(c), k(c + d)
        e = (high - low) / (2 * d) - 1 / c - 1 / (c + 1)
        v = (high - 2 * mid + low) / (d * d) + 1 / c**2 + 1 / (c + 1) ** 2
        return e, mid - c * e - math.log(c * (c + 1)) - math.log(2 * math.pi * v) / 2

    low, high = 1e-3, 1e4
    for _ in range(45):
        c = math.sqrt(low * high)
        try:
            e, log_delta = at(c)
            beyond = e > eps if delta is None else log_delta < float(log(mpf(delta)))
        except (OverflowError, ValueError):
            beyond = True
        low, high = (low, c) if beyond else (c, high)
    c = math.sqrt(low * high)
    return c, at(c)[0] if eps is None else eps


def agreed(a, b, most=30):
    """In how many digits two numbers agree."""
    if a == b:
        return most
    return max(0, min(most, int(-mp.log10(abs(a - b) / abs(a)))))


def twice(parts, question, eps=None, delta=None):
    """The answer on two lines, and the digits in which they agree."""
    c, e = saddle(parts, eps, delta)
    first = question(Contour(parts, c, e))
    second = question(Contour(parts, c, e, shift=0.9, fineness=0.85))
    return first, agreed(first, second)


def epsilon(parts, delta):
    return twice(parts, lambda line: line.epsilon(delta), delta=delta)


def delta(parts, eps):
    return twice(parts, lambda line: line.delta(mpf(eps)), eps=float(eps))


def miss_rate(parts, alpha):
    """1 - P(Z > t) where Q(Z > t) = alpha: Q is the null hypothesis."""
    def on(line):
        t = line.eps
        for _ in range(200):
            # d Q(Z > t) / dt = - e^-t times the density of Z under P.
            density = line.integral(t, lambda z: mpf(1))
            step = (line.above_under_q(t) - mpf(alpha)) / (exp(-t) * density)
            t += step
            if abs(step) < mpf(10) ** -45:
                return 1 - line.above(t)
        raise ArithmeticError("Newton's method did not converge")

    # Roughly where the threshold is, as if Z were normal.
    k = total(parts)
    mean = (k(1e-3) - k(-1e-3)) / 2e-3
    spread = math.sqrt((k(1e-2) - 2 * k(0.0) + k(-1e-2)) / 1e-4)
    quantile = float(normal_quantile(1 - mpf(alpha)))
    start = mean - spread * spread + spread * quantile
    c = 2.0 / spread
    first = on(Contour(parts, c, start))
    second = on(Contour(parts, c, start, shift=0.9, fineness=0.85))
    return first, agreed(first, second)


def convexified(profile, alpha, low=0.0, high=12.0):
    """The convex hull of both directions: the largest line below 1 - alpha that the symmetric
    profile allows, by golden section (the value at a maximum is flat)."""
    alpha = mpf(alpha)

    def lines(e):
        d = profile(e)
        return max(1 - d - exp(e) * alpha, exp(-e) * (1 - d - alpha))

    ratio = (sqrt(mpf(5)) - 1) / 2
    a, b = mpf(low), mpf(high)
    x, y = b - ratio * (b - a), a + ratio * (b - a)
    fx, fy = lines(x), lines(y)
    while b - a > mpf(10) ** -13:
        if fx > fy:
            b, y, fy = y, x, fx
            x = b - ratio * (b - a)
            fx = lines(x)
        else:
            a, x, fx = x, y, fy
            y = a + ratio * (b - a)
            fy = lines(y)
    return max(mpf(0), fx, fy)


# Closed forms and sums.


def normal_cdf(x):
    return erfc(-mpf(x) / sqrt(mpf(2))) / 2


def normal_quantile(p):
    return mp.findroot(lambda x: normal_cdf(x) - p, mp.erfinv(2 * mpf(float(p)) - 1) * sqrt(mpf(2)))


def gaussian_delta(mu, eps):
    mu, eps = mpf(mu), mpf(eps)
    return normal_cdf(mu / 2 - eps / mu) - exp(eps) * normal_cdf(-mu / 2 - eps / mu)


def solve(profile, target, low, high):
    """eps with profile(eps) = target, by Illinois false position on the logarithm."""
    target = log(mpf(target))
    return mp.findroot(lambda e: log(profile(e)) - target, (mpf(low), mpf(high)), solver="anderson", tol=mpf(10) ** -80, maxsteps=200, verify=False)


def atoms_delta(atoms, eps):
    """From (loss, chance under P) pairs; an infinite loss is None."""
    eps = mpf(eps)
    return mp.fsum(p if z is None else p * (1 - exp(eps - z)) for z, p in atoms if z is None or z > eps)


def atoms_epsilon(atoms, delta):
    """Between two losses delta = A - e^eps B exactly, so eps has a closed form."""
    delta = mpf(delta)
    a = b = mpf(0)
    finite = sorted(((z, p) for z, p in atoms if z is not None), key=lambda t: -t[0])
    a += mp.fsum(p for z, p in atoms if z is None)
    for i, (z, p) in enumerate(finite):
        a, b = a + p, b + p * exp(-z)
        if a > delta:
            eps = log((a - delta) / b)
            nearest = finite[i + 1][0] if i + 1 < len(finite) else mpf("-inf")
            if eps >= nearest:
                return eps
    return mpf(0)


def binomial_epsilon(k, eps, delta):
    """k-fold composition of an eps-private mechanism, at most l lies of k (Kairouz, Oh,
    Viswanath): delta = A(l) - e^x B(l) with tails of two binomial laws."""
    eps, delta = mpf(eps), mpf(delta)
    p = 1 / (1 + exp(-eps))
    log_p, log_q = log(p), log(1 - p)

    def tails(l):
        log_c = mp.loggamma(k + 1) - mp.loggamma(l + 1) - mp.loggamma(k - l + 1)
        a_term = exp(log_c + (k - l) * log_p + l * log_q)
        b_term = exp(log_c + (k - l) * log_q + l * log_p)
        ratio_a, ratio_b = (1 - p) / p, p / (1 - p)
        a, b, i = a_term, b_term, l
        while i > 0 and a_term > a * mpf(10) ** -48:
            step = mpf(i) / (k - i + 1)
            a_term, b_term = a_term * step / ratio_a, b_term * step / ratio_b
            a, b, i = a + a_term, b + b_term, i - 1
        return a, b

    start = k * eps * mp.tanh(eps / 2) + eps * sqrt(mpf(k)) * 4
    l = int(mp.floor((k - start / eps) / 2))
    for _ in range(100):
        a, b = tails(l)
        x = log((a - delta) / b) if a > delta else (k - 2 * l - 4) * eps
        best = int(mp.ceil((k - x / eps) / 2)) - 1  # the largest l with (k - 2 l) eps > x
        if best == l:
            return x
        l = best
    raise ArithmeticError("no fixed point")


def binomial_delta(k, eps, at):
    eps, at = mpf(eps), mpf(at)
    p = 1 / (1 + exp(-eps))
    return mp.fsum(
        mp.binomial(k, l) * p ** (k - l) * (1 - p) ** l * (1 - exp(at - (k - 2 * l) * eps))
        for l in range(k + 1) if (k - 2 * l) * eps > at
    )


def power(pmf, n):
    """The n-fold convolution of a finite sequence."""
    def times(a, b):
        out = [mpf(0)] * (len(a) + len(b) - 1)
        for i, x in enumerate(a):
            for j, y in enumerate(b):
                out[i + j] += x * y
        return out

    result, square = [mpf(1)], list(pmf)
    while n:
        if n & 1:
            result = times(result, square)
        n >>= 1
        if n:
            square = times(square, square)
    return result


def poisson_pmf(rate, upto):
    rate, out = mpf(rate), []
    term = exp(-rate)
    for n in range(upto):
        out.append(term)
        term = term * rate / (n + 1)
    return out


def staircase_curve(p, q, alpha):
    """T(P, Q)(alpha) of a finite pair, P the null: reject by decreasing q/p, randomise the last."""
    order = sorted((i for i in range(len(p)) if p[i] > 0), key=lambda i: -q[i] / p[i])
    left, beta = mpf(alpha), mpf(1) - mp.fsum(q[i] for i in range(len(p)) if p[i] == 0)
    for i in order:
        share = min(mpf(1), left / p[i])
        beta -= share * q[i]
        left -= share * p[i]
        if left <= 0:
            break
    return beta
