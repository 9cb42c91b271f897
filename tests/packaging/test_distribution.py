"""What is installed: the wheel, and its names beside those of others."""

import subprocess
import sys
from importlib.metadata import Distribution, distributions
from pathlib import Path
from zipfile import ZipFile

import pytest

PACKAGES = {"chunking", "retrieval", "indexer", "service"}
ROOT = Path(__file__).parents[2]


@pytest.fixture(scope="module")
def content(tmp_path_factory: pytest.TempPathFactory) -> set[str]:
    """The names in the wheel."""
    folder = tmp_path_factory.mktemp("dist")
    # Without isolation nothing is downloaded: the build backend is one of the tools of development.
    command = [sys.executable, "-m", "build", "--wheel", "--no-isolation", "--outdir", str(folder), str(ROOT)]
    subprocess.run(command, check=True, capture_output=True)
    (wheel,) = folder.glob("wikitrail-*.whl")
    with ZipFile(wheel) as archive:
        return set(archive.namelist())


def test_the_wheel_holds_the_four_packages_and_nothing_else(content: set[str]) -> None:
    tops = {name.partition("/")[0] for name in content}
    assert {top for top in tops if not top.endswith(".dist-info")} == PACKAGES


def test_every_module_is_in_the_wheel(content: set[str]) -> None:
    modules = {str(file.relative_to(ROOT)) for package in PACKAGES for file in (ROOT / package).rglob("*.py")}
    assert modules <= content


def test_types_and_the_sample_wiki_are_in_the_wheel(content: set[str]) -> None:
    assert {f"{package}/py.typed" for package in PACKAGES} <= content
    sample = ROOT / "service" / "sample_wiki"
    pages = {str(file.relative_to(ROOT)) for file in sample.rglob("*") if file.is_file()}
    assert len(pages) > 20
    assert pages <= content


def test_no_other_distribution_claims_our_names() -> None:
    claims = {
        name: _names(other) & PACKAGES for other in distributions() if (name := other.name) != "wikitrail"
    }
    assert {name: taken for name, taken in claims.items() if taken} == {}


def _names(distribution: Distribution) -> set[str]:
    return {Path(file).parts[0].removesuffix(".py") for file in distribution.files or ()}
