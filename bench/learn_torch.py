"""One net trained by torch or Opacus on one thread: samples per CPU second and peak memory, as JSON.

A process of its own for each measurement, because memory is counted by process. Batches lie ready
in memory: what is measured is the step alone (forward, backward, clipping, noise, update).
"""

import argparse
import json
import pathlib
import resource
import time
import warnings

import numpy as np
import torch
from torch import nn

ROWS = 4096


def mlp():
    return nn.Sequential(nn.Linear(784, 128), nn.ReLU(), nn.Linear(128, 10))


def cnn():
    """The net of Opacus' own MNIST example: 26,010 parameters."""
    return nn.Sequential(
        nn.Unflatten(1, (1, 28, 28)),
        nn.Conv2d(1, 16, 8, 2, padding=3), nn.ReLU(), nn.MaxPool2d(2, 1),
        nn.Conv2d(16, 32, 4, 2), nn.ReLU(), nn.MaxPool2d(2, 1),
        nn.Flatten(), nn.Linear(32 * 4 * 4, 32), nn.ReLU(), nn.Linear(32, 10),
    )


def digits(directory):
    pixels = np.fromfile(directory / "train-images-idx3-ubyte", np.uint8, ROWS * 784, offset=16)
    labels = np.fromfile(directory / "train-labels-idx1-ubyte", np.uint8, ROWS, offset=8)
    return (torch.from_numpy(pixels.reshape(ROWS, 784).astype(np.float32) / 255),
            torch.from_numpy(labels.astype(np.int64)))


def trainer(net, mode, data, batch):
    """(model, optimizer, loss), private unless the mode is `plain`."""
    optimizer = torch.optim.SGD(net.parameters(), lr=0.1)
    loss = nn.CrossEntropyLoss()
    if mode == "plain":
        return net, optimizer, loss
    from opacus import PrivacyEngine

    loader = torch.utils.data.DataLoader(torch.utils.data.TensorDataset(*data), batch_size=batch)
    made = PrivacyEngine().make_private(
        module=net, optimizer=optimizer, data_loader=loader, criterion=loss, noise_multiplier=1.0,
        max_grad_norm=1.0, poisson_sampling=False, grad_sample_mode=mode,
    )
    return (*made[:2], made[2] if mode == "ghost" else loss)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--mnist", type=pathlib.Path, required=True)
    parser.add_argument("--net", choices=["mlp", "cnn"], required=True)
    parser.add_argument("--mode", choices=["plain", "hooks", "functorch", "ew", "ghost"], required=True)
    parser.add_argument("--batch", type=int, required=True)
    parser.add_argument("--seconds", type=float, default=3)
    options = parser.parse_args()
    warnings.simplefilter("ignore")
    torch.set_num_threads(1)
    torch.manual_seed(0)
    data = digits(options.mnist)
    model, optimizer, loss = trainer({"mlp": mlp, "cnn": cnn}[options.net](), options.mode, data, options.batch)
    batches = list(zip(*(part.split(options.batch) for part in data)))

    def step(at):
        pixels, labels = batches[at % len(batches)]
        optimizer.zero_grad()
        loss(model(pixels), labels).backward()
        optimizer.step()

    step(0)
    best, start, steps = float("inf"), time.process_time(), 0
    # The best of rounds of some steps: a shared machine can only make a round slower.
    while time.process_time() - start < options.seconds:
        round_start = time.process_time()
        took, done = 0.0, 0
        while took < options.seconds / 8:
            step(steps)
            steps, done = steps + 1, done + 1
            took = time.process_time() - round_start
        best = min(best, took / done)
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    print(json.dumps({"samples_per_second": options.batch / best, "peak_mib": peak}))


if __name__ == "__main__":
    main()
