"""The law of incremental runs: after any edits, moves and deletions the index equals a fresh one.

And that of dry runs: they tell what the run then does.
"""

import asyncio
import shutil
import tempfile
from pathlib import Path

from hypothesis import HealthCheck, settings
from hypothesis import strategies as st
from hypothesis.stateful import Bundle, RuleBasedStateMachine, consumes, initialize, rule
from workbench import Workbench, run_sync

from indexer.bounds import parse_bounds

NAMES = ("alpha", "beta", "folder/alpha", "folder/gamma", "Übersicht", "x' OR 1=1")
WORDS = ("lock", "weir", "boat", "keeper", "gate", "闸门", "E-1234")

names = st.sampled_from(NAMES).map("{}.md".format)
sentences = st.lists(st.sampled_from(WORDS), min_size=1, max_size=6).map(" ".join)
headings = st.sampled_from(("Gates", "Boats", "Keepers"))
links = st.sampled_from(
    ("[[alpha]]", "[[gamma#Gates]]", "[[beta|b]]", "[[The Weir]]", "![[pic.png]]", "[x](folder/alpha.md)")
)
sections = st.builds("## {}\n\n{} {}\n\n".format, headings, sentences, links)
metadata = st.sampled_from(
    ("", "title: The Weir\n", "aliases: [gamma, beta]\n", "aliases: [The Weir]\n", "bad: [\n")
).map("---\n{}---\n\n".format)
pages = st.builds(lambda head, parts: head + "".join(parts), metadata, st.lists(sections, max_size=4))


class IncrementalRuns(RuleBasedStateMachine):
    """Changes a wiki at random, runs now and then, and compares with a fresh index at the end."""

    paths = Bundle("paths")

    @initialize()
    def begin(self) -> None:
        self.folder = Path(tempfile.mkdtemp())
        self.bench = Workbench(self.folder)
        self.bench.write("anchor.md", "# Anchor\n\n[[alpha]] [[gamma]] [[The Weir]] ![[pic.png]]\n")
        run_sync(self.bench)

    @rule(target=paths, path=names, text=pages)
    def write(self, path: str, text: str) -> str:
        self.bench.write(path, text)
        return path

    @rule(path=consumes(paths))
    def delete(self, path: str) -> None:
        if (self.bench.root / path).exists():
            self.bench.delete(path)

    @rule(target=paths, source=consumes(paths), path=names)
    def move(self, source: str, path: str) -> str:
        if (self.bench.root / source).exists():
            self.bench.move(source, path)
        return path

    @rule(present=st.booleans())
    def change_assets(self, present: bool) -> None:
        picture = self.bench.root / "pic.png"
        picture.write_bytes(b"png") if present else picture.unlink(missing_ok=True)

    @rule(full=st.booleans())
    def run(self, full: bool) -> None:
        report = run_sync(self.bench, "full" if full else "incremental")
        assert report.status == "ok"

    @rule(path=names | st.just("folder"), full=st.booleans())
    def run_within(self, path: str, full: bool) -> None:
        bounds, mode = parse_bounds([path]), "full" if full else "incremental"
        preview = asyncio.run(self.bench.indexer().preview(mode, bounds=bounds))
        report = asyncio.run(self.bench.indexer().run(mode, bounds=bounds))
        assert preview.pages == report.pages

    def teardown(self) -> None:
        if not hasattr(self, "bench"):
            return
        run_sync(self.bench)
        assert asyncio.run(self.bench.rows()) == asyncio.run(self.bench.fresh_rows())
        shutil.rmtree(self.folder)


TestIncrementalRuns = IncrementalRuns.TestCase
TestIncrementalRuns.settings = settings(
    max_examples=15, stateful_step_count=12, deadline=None, suppress_health_check=list(HealthCheck)
)
