#!/usr/bin/env python3
"""Writes vectors/learn_network.csv: gradients, clipping and steps of small networks, and scattering features.

Source: PyTorch 2 in double precision (autograd, torch.optim) for networks, and direct convolutions
in numpy, written from the definition, for scattering; no code of this repository. Weights, images and labels are
made up by the formulas below, which the test repeats.
Run from the root of the repository (some seconds):  python3 vectors/learn_network.py

Columns
  quantity  norm: the norm of a record's gradient; clipped: an entry of the sum of all records'
            gradients, each clipped to CLIP; sgd, adam: a parameter after STEPS steps down the mean gradient;
            scattering: a feature of one image
  of        the network, or the shape of the image
  index     the record, the parameter or the feature
  value     17 digits
Parameters are in Throng's order: stage by stage, weights (inputs x outputs; those of a square row by row,
pixel by pixel, channels side by side), then biases.
crates/learn/src/network/vectors.rs and crates/learn/tests/scattering.rs check every row. Networks that learn a
number are in vectors/learn_regression.py.
"""
import csv

import numpy as np
import torch
import torch.nn.functional as F

RECORDS, CLIP, STEPS = 24, 0.75, 3
CLASSES = 4


def parameter(i):
    return ((i * i * 31 + i * 17) % 2001 - 1000) / 2500


def pixel(record, column):
    return ((record * 37 + column * column * 11 + record * column * 5) % 65) / 64


def label(record):
    return record * 7 % CLASSES


def dense(p, x, outputs):
    weights, biases, p = take(p, x.shape[1], outputs)
    return x @ weights + biases, p


def convolution(p, x, filters, size, padding):
    channels = x.shape[1]
    weights, biases, p = take(p, size * size * channels, filters)
    kernel = weights.reshape(size, size, channels, filters).permute(3, 2, 0, 1)
    return F.conv2d(x, kernel, biases, padding=padding), p


def take(p, inputs, outputs):
    count = inputs * outputs
    weights = p[:count].reshape(inputs, outputs)
    return weights, p[count:count + outputs], p[count + outputs:]


def mlp(p, x):
    x, p = dense(p, x, 7)
    x, p = dense(p, torch.relu(x), 5)
    x, p = dense(p, torch.tanh(x), CLASSES)
    assert len(p) == 0
    return x


def cnn(p, x):
    x = x.reshape(-1, 6, 6, 1).permute(0, 3, 1, 2)
    x, p = convolution(p, x, 3, 3, 1)
    x = F.max_pool2d(torch.tanh(x), 2, 2)
    x, p = convolution(p, x, 4, 2, 0)
    x = torch.relu(x).permute(0, 2, 3, 1).reshape(len(x), -1)
    x, p = dense(p, x, CLASSES)
    assert len(p) == 0
    return x


NETWORKS = {
    "mlp": (mlp, 36, 36 * 7 + 7 + 7 * 5 + 5 + 5 * 4 + 4),
    "cnn": (cnn, 36, 9 * 3 + 3 + 12 * 4 + 4 + 16 * 4 + 4),
}


def rows_of(name):
    network, columns, length = NETWORKS[name]
    start = torch.tensor([parameter(i) for i in range(length)], dtype=torch.float64)
    x = torch.tensor([[pixel(r, c) for c in range(columns)] for r in range(RECORDS)], dtype=torch.float64)
    y = torch.tensor([label(r) for r in range(RECORDS)])
    total = torch.zeros(length, dtype=torch.float64)
    for record in range(RECORDS):
        p = start.clone().requires_grad_()
        F.cross_entropy(network(p, x[record:record + 1]), y[record:record + 1]).backward()
        norm = p.grad.norm()
        yield "norm", name, record, norm.item()
        total += p.grad * min(1.0, CLIP / norm.item())
    for i in range(0, length, 5):
        yield "clipped", name, i, total[i].item()
    optimisers = {
        "sgd": lambda p: torch.optim.SGD([p], lr=0.1, momentum=0.9),
        "adam": lambda p: torch.optim.Adam([p], lr=0.01, betas=(0.9, 0.99), eps=1e-8),
    }
    for optimiser, make in optimisers.items():
        p = start.clone().requires_grad_()
        steps = make(p)
        for _ in range(STEPS):
            steps.zero_grad()
            F.cross_entropy(network(p, x), y).backward()
            steps.step()
        for i in range(0, length, 5):
            yield optimiser, name, i, p[i].item()


# Scattering: two scales, eight directions, by the definition.

DIRECTIONS, RADIUS, WIDTH, FREQUENCY, SLANT = 8, 4, 0.8, 0.75 * np.pi, 0.5


def morlet(direction):
    angle = np.pi * direction / DIRECTIONS
    y, x = np.mgrid[-RADIUS:RADIUS + 1, -RADIUS:RADIUS + 1]
    along = x * np.cos(angle) + y * np.sin(angle)
    across = y * np.cos(angle) - x * np.sin(angle)
    bell = np.exp(-(along**2 + SLANT**2 * across**2) / (2 * WIDTH**2))
    wave = np.exp(1j * FREQUENCY * along)
    psi = bell * (wave - (bell * wave).sum() / bell.sum())
    return psi / (psi * wave.conj()).sum().real


def modulus(plane, psi):
    padded = np.pad(plane, RADIUS, mode="symmetric")
    windows = np.lib.stride_tricks.sliding_window_view(padded, psi.shape)
    return abs((windows * psi).sum(axis=(2, 3)))


def halved(plane):
    padded = np.pad(plane, 1, mode="symmetric")
    weights = np.outer([1, 3, 3, 1], [1, 3, 3, 1]) / 64
    windows = np.lib.stride_tricks.sliding_window_view(padded, (4, 4))[::2, ::2]
    return (windows * weights).sum(axis=(2, 3))


def features(plane):
    waves = [morlet(direction) for direction in range(DIRECTIONS)]
    coarse = halved(plane)
    fine = [halved(modulus(plane, psi)) for psi in waves]
    maps = [halved(coarse)] + [halved(plane) for plane in fine]
    for plane in [coarse] + fine:
        maps += [halved(modulus(plane, psi)) for psi in waves]
    return np.concatenate([plane.ravel() for plane in maps])


def scattered(height, width, channels):
    image = np.array([pixel(3, k) for k in range(height * width * channels)]).reshape(height, width, channels)
    values = np.concatenate([features(image[:, :, channel]) for channel in range(channels)])
    for i in range(0, len(values), 5):
        yield "scattering", f"{height}x{width}x{channels}", i, values[i]


def main():
    with open("vectors/learn_network.csv", "w", newline="") as file:
        version = torch.__version__.split("+")[0]
        file.write(f"# Written by vectors/learn_network.py with PyTorch {version} and numpy {np.__version__}; "
                   "see there. Do not edit.\n")
        out = csv.writer(file, lineterminator="\n")
        out.writerow(["quantity", "of", "index", "value"])
        rows = [row for name in NETWORKS for row in rows_of(name)]
        rows += list(scattered(8, 12, 2))
        out.writerows((quantity, of, index, f"{value:.17g}") for quantity, of, index, value in rows)


if __name__ == "__main__":
    main()
