"""Benchmarks: the paper's figures reproduced, and other libraries on the same scene."""

from carom.bench.registry import BENCHES, run
from carom.bench.report import Claim, Report, Table

__all__ = ["BENCHES", "Claim", "Report", "Table", "run"]
