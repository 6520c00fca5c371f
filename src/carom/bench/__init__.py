"""Benchmarks: figures of the papers, and comparisons with other libraries on the same scenes."""

from carom.bench.registry import BENCHES, run, run_all
from carom.bench.report import Claim, Report, Table
from carom.bench.whole_report import load_reports, write_report

__all__ = ["BENCHES", "Claim", "Report", "Table", "load_reports", "run", "run_all", "write_report"]
