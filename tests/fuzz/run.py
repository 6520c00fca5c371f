"""Runs fuzzers in turn over worker processes, for some time, and writes the script of every failure.

Each case runs in a child process: a crash, or a case that takes too long, is a failure with that seed, and another child goes
on. Time in which kernels are compiled does not count against a case.
"""

from __future__ import annotations

import argparse
import importlib
import math
import multiprocessing
import resource
import sys
import time
import traceback
from collections import Counter, defaultdict
from collections.abc import Callable, Iterator
from multiprocessing.connection import Connection, wait
from pathlib import Path
from typing import Any

import numpy as np

from fuzz.failure import Failure

_CASE_SECONDS = 90.0
"""Longest that a case may take, compilation aside."""
_COMPILE_SECONDS = 900.0
"""Longest that a case may take in all."""
_MOST_MEMORY = 3 << 20
"""KiB at which a child is replaced by a fresh one."""
_REPORT_SECONDS = 60.0
"""Between two lines that say how far a run is."""
_MOST_SCRIPTS = 10
"""Scripts written for one kind of failure of one subject; all are counted."""

Answer = tuple[str, Any]
"""("ok", None), or ("failure", script)."""
Run = Callable[[str, int], Answer]
"""What a child does with a subject and a seed."""


def subjects() -> list[str]:
    """Names of all fuzzers: the modules of fuzz.subjects."""
    return sorted(path.stem for path in (Path(__file__).parent / "subjects").glob("[!_]*.py"))


def run_case(subject: str, seed: int) -> Answer:
    """Run one case of a subject."""
    try:
        importlib.import_module(f"fuzz.subjects.{subject}").cases(seed)
    except Failure as failure:
        return "failure", failure.script
    except Exception:  # the fuzzer itself is wrong, or carom raised where no case expects it
        return (
            "failure",
            f'"""error: outside of a case (seed {seed})\n\n{traceback.format_exc()}"""\n{again(subject, seed)}',
        )
    return "ok", None


def again(subject: str, seed: int) -> str:
    """A script that runs the case again: carom's calls alone where the subject can print them."""
    module = importlib.import_module(f"fuzz.subjects.{subject}")
    if hasattr(module, "random_case") and hasattr(module, "script"):
        text: str = module.script(module.random_case(np.random.default_rng(seed)))
        return text
    return f"# in a clone of carom, with PYTHONPATH=tests\nfrom fuzz.subjects.{subject} import cases\n\ncases({seed})\n"


def _child(pipe: Connection, run: Run) -> None:
    """Runs the cases that come through the pipe; says when it compiles."""
    from numba.core import event

    class Compiling(event.Listener):
        def on_start(self, _: Any) -> None:
            pipe.send(("compiling", 1))

        def on_end(self, _: Any) -> None:
            pipe.send(("compiling", -1))

    event.register("numba:compiler_lock", Compiling())
    pipe.send(("compiling", -1))  # it has started
    while True:
        task = pipe.recv()
        if task is None:
            return
        answer = run(*task)
        pipe.send((*answer, resource.getrusage(resource.RUSAGE_SELF).ru_maxrss))


class Worker:
    """One child process and the case that it runs."""

    def __init__(self, run: Run, case_seconds: float) -> None:
        self.case: tuple[str, int] | None = None
        self._run, self._limit = run, case_seconds
        self._start()

    def _start(self) -> None:
        context = multiprocessing.get_context("spawn")
        self.pipe, theirs = context.Pipe()
        self._process = context.Process(target=_child, args=(theirs, self._run), daemon=True)
        self._process.start()
        self._depth = 1  # starting counts as compiling
        theirs.close()

    def give(self, case: tuple[str, int]) -> None:
        """Run a case."""
        self.case = case
        self._spent, self._since, self._begin = 0.0, time.monotonic(), time.monotonic()
        self.pipe.send(case)

    def stop(self) -> None:
        """End the child."""
        self._process.kill()
        self._process.join()

    def answer(self, ready: bool) -> Answer | None:
        """What became of the case; None while it runs."""
        try:
            while ready and self.pipe.poll():
                kind, *values = self.pipe.recv()
                if kind == "compiling":
                    self._count(values[0])
                    continue
                if values[1] > _MOST_MEMORY:
                    self.stop()
                    self._start()
                return kind, values[0]
        except (EOFError, ConnectionResetError):
            self._process.join()
            code = self._process.exitcode
            self._start()
            return "failure", f'"""crash: the process ended with {code} (seed {self._case[1]})"""\n{again(*self._case)}'
        now = time.monotonic()
        working = self._spent + (now - self._since if self._depth == 0 else 0.0)
        if working > self._limit or now - self._begin > _COMPILE_SECONDS:
            self.stop()
            self._start()
            return (
                "failure",
                f'"""hang: no end within {self._limit:.0f} s (seed {self._case[1]})"""\n{again(*self._case)}',
            )
        return None

    def _count(self, step: int) -> None:
        now = time.monotonic()
        if self._depth == 0:
            self._spent += now - self._since
        self._depth += step
        self._since = now

    @property
    def _case(self) -> tuple[str, int]:
        assert self.case is not None
        return self.case


class Tally:
    """Cases and failures of each subject, and the scripts of failures in a folder."""

    def __init__(self, folder: Path) -> None:
        self.cases: Counter[str] = Counter()
        self.kinds: dict[str, Counter[str]] = defaultdict(Counter)
        self._folder = folder

    def note(self, subject: str, seed: int, answer: Answer) -> None:
        """Count a case; write its script where it failed."""
        self.cases[subject] += 1
        kind, script = answer
        if kind == "ok":
            return
        title = script.removeprefix('"""').partition(":")[0].replace(" ", "-")
        self.kinds[subject][title] += 1
        if self.kinds[subject][title] <= _MOST_SCRIPTS:
            self._folder.mkdir(parents=True, exist_ok=True)
            path = self._folder / f"{subject}-{title}-{seed}.py"
            path.write_text(script)
            _say(f"  {subject}, seed {seed}: {script.partition(chr(10))[0][3:160]}\n    {path}")

    def failures(self) -> int:
        """How many cases have failed."""
        return sum(sum(kinds.values()) for kinds in self.kinds.values())

    def table(self, names: list[str], seconds: float) -> str:
        """Cases and failures per subject."""
        lines = [f"{'subject':<12}{'cases':>8}{'failures':>10}   kinds"]
        for name in names:
            kinds = self.kinds[name]
            words = ", ".join(f"{kind} {count}" for kind, count in kinds.most_common())
            lines.append(f"{name:<12}{self.cases[name]:>8}{sum(kinds.values()):>10}   {words}".rstrip())
        lines.append(f"{'all':<12}{sum(self.cases.values()):>8}{self.failures():>10}   in {seconds:.0f} s")
        return "\n".join(lines)


def _say(text: str) -> None:
    sys.stdout.write(f"{text}\n")
    sys.stdout.flush()


def _turns(names: list[str], seed: int) -> Iterator[tuple[str, int]]:
    while True:
        for name in names:
            yield name, seed
        seed += 1


def fuzz(
    names: list[str], seconds: float, seed: int, workers: int, folder: Path,
    run: Run = run_case, case_seconds: float = _CASE_SECONDS, most: float = math.inf,
) -> Tally:  # fmt: skip
    """Run cases from `seed` on, subject by subject, until the time is over or there were `most` cases."""
    tally, turns = Tally(folder), _turns(names, seed)
    start, begun = time.monotonic(), workers
    deadline, report = start + seconds, start + _REPORT_SECONDS
    crew = [Worker(run, case_seconds) for _ in range(workers)]
    try:
        for worker in crew:
            worker.give(next(turns))
        while any(worker.case for worker in crew):
            if time.monotonic() > report:
                _say(f"{report - start:.0f} s: {sum(tally.cases.values())} cases, {tally.failures()} failures")
                report += _REPORT_SECONDS
            ready = wait([worker.pipe for worker in crew if worker.case], timeout=1.0)
            for worker in crew:
                if worker.case is None or (answer := worker.answer(worker.pipe in ready)) is None:
                    continue
                tally.note(*worker.case, answer)
                worker.case = None
                if time.monotonic() < deadline and begun < most:
                    worker.give(next(turns))
                    begun += 1
    finally:
        for worker in crew:
            worker.stop()
    return tally


def main(arguments: list[str]) -> int:
    """The command line; returns 1 after a failure."""
    parser = argparse.ArgumentParser(prog="python -m fuzz", description="Random cases against independent oracles.")
    parser.add_argument("only", nargs="*", help=f"subjects: {', '.join(subjects())}; default all")
    parser.add_argument("--seconds", type=float, default=300.0, help="how long (300)")
    parser.add_argument("--seed", type=int, default=0, help="first seed (0)")
    parser.add_argument("--workers", type=int, default=2, help="processes (2)")
    parser.add_argument("--out", type=Path, default=Path("out/fuzz"), help="folder of scripts of failures (out/fuzz)")
    options = parser.parse_args(arguments)
    unknown = sorted(set(options.only) - set(subjects()))
    if unknown:
        parser.error(f"no subject {', '.join(unknown)}; there are {', '.join(subjects())}")
    names = options.only or subjects()
    _say(f"fuzzing {', '.join(names)} for {options.seconds:.0f} s from seed {options.seed} on")
    begin = time.monotonic()
    tally = fuzz(names, options.seconds, options.seed, options.workers, options.out)
    _say("\n" + tally.table(names, time.monotonic() - begin))
    return 1 if tally.failures() else 0
