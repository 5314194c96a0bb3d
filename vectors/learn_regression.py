#!/usr/bin/env python3
"""Writes vectors/learn_regression.csv: gradients, clipping and numbers said by small networks that learn a number.

Source: numpy in double precision, forward and backward written out by hand from the definition of the
squared loss; no code of this repository. Weights, records and labels are made up by the formulas below (those of
vectors/learn_network.py, but for the labels), which the test repeats.
Run from the root of the repository:  python3 vectors/learn_regression.py

Columns
  quantity  norm: the norm of a record's gradient; clipped: an entry of the sum of all records' gradients, each
            clipped to CLIP; sgd: a parameter after STEPS steps down the mean gradient; said: the number that
            the network says of a record, within RANGE
  of        the network
  index     the record or the parameter
  value     17 digits
The loss of a record is (output - t)^2 / 2, where t is its label, clamped to RANGE, on the way from -1 to 1.
crates/learn/src/network/vectors.rs checks every row.
"""
import csv

import numpy as np

RECORDS, COLUMNS, CLIP, STEPS = 24, 36, 0.75, 3
RANGE = (0.0, 5.0)
# Outputs and activation of each layer.
NETWORKS = {
    "flat": [(1, None)],
    "mlp": [(7, "relu"), (5, "tanh"), (1, None)],
}


def parameter(i):
    return ((i * i * 31 + i * 17) % 2001 - 1000) / 2500


def pixel(record, column):
    return ((record * 37 + column * column * 11 + record * column * 5) % 65) / 64


def label(record):
    """Some of them are beyond the range."""
    return (record * 13 % 29) / 4 - 1


def target(record):
    lower, upper = RANGE
    return 2 * (np.clip(label(record), lower, upper) - lower) / (upper - lower) - 1


def split(parameters, layers):
    """Weights (inputs x outputs), then biases, layer by layer."""
    parts, inputs, at = [], COLUMNS, 0
    for outputs, _ in layers:
        weights = parameters[at:at + inputs * outputs].reshape(inputs, outputs)
        at += inputs * outputs
        parts.append((weights, parameters[at:at + outputs]))
        at, inputs = at + outputs, outputs
    assert at == len(parameters)
    return parts


def length(layers):
    sizes = [COLUMNS] + [outputs for outputs, _ in layers]
    return sum((a + 1) * b for a, b in zip(sizes, sizes[1:]))


def forward(parameters, layers, x):
    values = [x]
    for (weights, biases), (_, activation) in zip(split(parameters, layers), layers):
        z = values[-1] @ weights + biases
        values.append({"relu": lambda z: np.maximum(z, 0), "tanh": np.tanh, None: lambda z: z}[activation](z))
    return values


def gradient(parameters, layers, x, t):
    """Of one record."""
    values = forward(parameters, layers, x)
    delta = values[-1] - t
    parts = []
    steps = list(zip(split(parameters, layers), layers, values, values[1:]))
    for (weights, _), (_, activation), before, after in reversed(steps):
        slope = {"relu": (after > 0) * 1.0, "tanh": 1 - after**2, None: np.ones_like(after)}[activation]
        delta = delta * slope
        parts = [np.outer(before, delta).ravel(), delta] + parts
        delta = weights @ delta
    return np.concatenate(parts)


def rows_of(name):
    layers = NETWORKS[name]
    start = np.array([parameter(i) for i in range(length(layers))])
    records = [np.array([pixel(r, c) for c in range(COLUMNS)]) for r in range(RECORDS)]
    check(start, layers, records[1], target(1))
    total = np.zeros_like(start)
    for r, x in enumerate(records):
        own = gradient(start, layers, x, target(r))
        norm = np.linalg.norm(own)
        yield "norm", name, r, norm
        total += own * min(1.0, CLIP / norm)
    for i in range(0, len(start), 3):
        yield "clipped", name, i, total[i]
    lower, upper = RANGE
    for r, x in enumerate(records):
        output = forward(start, layers, x)[-1][0]
        yield "said", name, r, np.clip(lower + (output + 1) / 2 * (upper - lower), lower, upper)
    p, speed = start.copy(), np.zeros_like(start)
    for _ in range(STEPS):
        speed = 0.9 * speed + sum(gradient(p, layers, x, target(r)) for r, x in enumerate(records)) / RECORDS
        p = p - 0.02 * speed
    for i in range(0, len(start), 3):
        yield "sgd", name, i, p[i]


def check(parameters, layers, x, t):
    """The gradient against differences of the loss."""
    loss = lambda p: (forward(p, layers, x)[-1][0] - t) ** 2 / 2
    own = gradient(parameters, layers, x, t)
    for i in range(0, len(parameters), 7):
        step = np.zeros_like(parameters)
        step[i] = 1e-6
        assert abs((loss(parameters + step) - loss(parameters - step)) / 2e-6 - own[i]) < 1e-7


def main():
    with open("vectors/learn_regression.csv", "w", newline="") as file:
        file.write(f"# Written by vectors/learn_regression.py with numpy {np.__version__}; see there. Do not edit.\n")
        out = csv.writer(file, lineterminator="\n")
        out.writerow(["quantity", "of", "index", "value"])
        for name in NETWORKS:
            for quantity, of, index, value in rows_of(name):
                out.writerow((quantity, of, index, f"{value:.17g}"))


if __name__ == "__main__":
    main()
