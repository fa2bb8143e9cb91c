"""Safetensors files read in part: a rank reads the bytes of its own rows and columns and no others.

Format: https://huggingface.co/docs/safetensors (8 bytes of length, a JSON header, then the tensors, row-major, little-endian).
"""

from __future__ import annotations

import json
import os
from pathlib import Path

import torch

from .sharding import Part

TYPES = {
    "F64": torch.float64, "F32": torch.float32, "F16": torch.float16, "BF16": torch.bfloat16, "I64": torch.int64, "I32": torch.int32,
    "I16": torch.int16, "I8": torch.int8, "U8": torch.uint8, "BOOL": torch.bool,
}  # fmt: skip


class Checkpoint:
    """A model.safetensors, or a folder with one or with a model.safetensors.index.json. `bytes_read` counts what was read of tensors."""

    def __init__(self, path: str | os.PathLike):
        path = Path(path)
        if path.is_dir():
            index = path / "model.safetensors.index.json"
            files = sorted(set(json.loads(index.read_text())["weight_map"].values())) if index.exists() else ["model.safetensors"]
            paths = [path / name for name in files]
        else:
            paths = [path]
        self.bytes_read = 0
        self.entries: dict[str, tuple[int, int, dict]] = {}  # name: (file descriptor, where its bytes start, header entry)
        self.files: list[int] = []
        try:
            for file in paths:
                self.open(file)
        except BaseException:
            self.close()
            raise

    def open(self, path: Path) -> None:
        descriptor = os.open(path, os.O_RDONLY)
        self.files.append(descriptor)
        size = os.fstat(descriptor).st_size
        length = int.from_bytes(os.pread(descriptor, 8, 0), "little")
        if size < 8 or length > size - 8:
            raise ValueError(f"{path} is no safetensors file: its header would be {length} bytes long, the file is {size}")
        for name, entry in json.loads(os.pread(descriptor, length, 8)).items():
            if name == "__metadata__":
                continue
            start, stop = entry["data_offsets"]
            if 8 + length + stop > size:
                raise ValueError(f"{path} is cut short: {name} ends at byte {8 + length + stop}, the file at {size}")
            self.entries[name] = (descriptor, 8 + length + start, entry)

    def close(self) -> None:
        for descriptor in self.files:
            os.close(descriptor)
        self.files = []

    def __enter__(self) -> "Checkpoint":
        return self

    def __exit__(self, *_) -> None:
        self.close()

    def shape(self, name: str) -> tuple[int, ...]:
        return tuple(self.entries[name][2]["shape"])

    @property
    def total_bytes(self) -> int:
        return sum(entry["data_offsets"][1] - entry["data_offsets"][0] for _, _, entry in self.entries.values())

    def read(self, name: str, part: Part = Part()) -> torch.Tensor:
        """The tensor `name`, or the part of it along dimension 0 or 1 (of a matrix)."""
        descriptor, start, entry = self.entries[name]
        if entry["dtype"] not in TYPES:
            raise ValueError(f"{name} has type {entry['dtype']}; allowed are {', '.join(TYPES)}")
        dtype, shape = TYPES[entry["dtype"]], list(entry["shape"])
        row = dtype.itemsize * torch.Size(shape[1:]).numel()
        if not part.ranges:
            spans = [(0, row * (shape[0] if shape else 1))]
        elif part.dim == 0:
            spans = [(a * row, (b - a) * row) for a, b in part.ranges]
        else:
            spans = [(r * row + a * dtype.itemsize, (b - a) * dtype.itemsize) for r in range(shape[0]) for a, b in part.ranges]
        if part.ranges:
            shape[part.dim] = sum(b - a for a, b in part.ranges)
        data = bytearray(sum(length for _, length in spans))
        view, filled = memoryview(data), 0
        for offset, length in spans:
            done = 0
            while done < length:
                got = os.preadv(descriptor, [view[filled + done : filled + length]], start + offset + done)
                if got == 0:
                    raise ValueError(f"{name}: the file ended {length - done} bytes early")
                done += got
            filled += length
        self.bytes_read += filled
        return torch.frombuffer(data, dtype=dtype).view(shape) if filled else torch.empty(shape, dtype=dtype)
