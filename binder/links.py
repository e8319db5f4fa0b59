"""Write what depends on where the repository is published: launch links of the Binder service, and the project's addresses.

    python binder/links.py

The address is in one place, ``binder/repository.txt``: provider, owner, repository and branch, as in the addresses of
mybinder.org. While there is none, the links are left out: README.md has no badge, the table of lectures no last column, and
neither pyproject.toml nor CITATION.cff an address. Change it there, run this, commit.
"""

from __future__ import annotations

import re
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
SERVICE = "https://mybinder.org"
HOSTS = {"gh": "github.com", "gl": "gitlab.com"}
ADDRESS = re.compile(r"(gh|gl)/[\w.%-]+/[\w.%-]+/[\w.-]+")
BADGE = re.compile(r"^\[!\[Launch the course on Binder\].*\n\n", re.MULTILINE)
OPENS = "The badge at the top opens the course in a browser, with R"
WAITS = "The course opens in a browser, with R, once the repository is published"
KEPT = "what you change stays yours"
COLUMN = "; the links in the last column open the same in a browser"
ROW = re.compile(r"^\| \d\db? \| \[?(\w+)")
COLUMNS = 5  # of the table of lectures without the links
URLS = re.compile(r"(?<=once binder/repository\.txt has one\.\n)(\[project\.urls\]\n(?:\w+ = .*\n)*)?")
CODE = re.compile(r"^repository-code: .*\n", re.MULTILINE)


def repository() -> str | None:
    """Return where the repository is published, or None while it is not."""
    text = (ROOT / "binder" / "repository.txt").read_text(encoding="ascii")
    lines = [line.strip() for line in text.splitlines() if line.strip() and not line.startswith("#")]
    if not lines:
        return None
    if len(lines) > 1 or not ADDRESS.fullmatch(lines[0]):
        raise SystemExit("binder/repository.txt: must hold one line such as gh/OWNER/synthlab/HEAD, or comments alone")
    return lines[0]


def link(path: str) -> str:
    """Return the address that opens a file of the repository in JupyterLab."""
    return f"{SERVICE}/v2/{repository()}?urlpath=lab/tree/{path}"


def home() -> str | None:
    """Return the address of the repository, or None."""
    address = repository()
    if address is None:
        return None
    provider, owner, name, _ = address.split("/")
    return f"https://{HOSTS[provider]}/{owner}/{name}"


def with_badge(text: str) -> str:
    """Return README.md with the badge below its title, or without one."""
    text = BADGE.sub("", text)
    if repository() is None:
        return text.replace(OPENS, WAITS)
    badge = f"[![Launch the course on Binder]({SERVICE}/badge_logo.svg)]({link('student/README.md')})"
    return text.replace("\n\n", f"\n\n{badge}\n\n", 1).replace(WAITS, OPENS)


def with_launches(text: str) -> str:
    """Return the table of lectures with a last column that opens each lecture that is written, or without it."""
    published = repository() is not None
    text = text.replace(COLUMN, "").replace(KEPT, KEPT + COLUMN * published, 1)
    lines = []
    for line in text.splitlines():
        if line.startswith("| | lecture |"):
            line = line.removesuffix(" open |") + " open |" * published
        elif line.startswith("|---:|"):
            line = "|---:|" + "---|" * (COLUMNS - 1 + published)
        elif row := ROW.match(line):
            line = "|".join(["", *line.strip("|").split("|")[:COLUMNS], ""])
            if published:
                there = (ROOT / f"course/{row[1]}.ipynb").is_file()
                line += f" [launch]({link(f'student/{row[1]}.ipynb')}) |" if there else "  |"
        lines.append(line)
    return "\n".join(lines) + "\n"


def with_urls(text: str) -> str:
    """Return pyproject.toml with the addresses of the repository, or without them."""
    address, block = repository(), ""
    if address is not None:
        ends = {"Repository": "", "Issues": "/issues", "Changelog": f"/blob/{address.rpartition('/')[2]}/CHANGELOG.md"}
        block = "[project.urls]\n" + "".join(f'{key} = "{home()}{end}"\n' for key, end in ends.items())
    return URLS.sub(lambda _: block, text, count=1)


def with_code(text: str) -> str:
    """Return CITATION.cff with the address of the repository, or without it."""
    text = CODE.sub("", text)
    return text if home() is None else text.rstrip("\n") + f'\nrepository-code: "{home()}"\n'


CHANGES = {
    "README.md": with_badge,
    "course/README.md": with_launches,
    "pyproject.toml": with_urls,
    "CITATION.cff": with_code,
}


def main() -> None:
    """Rewrite the files where they differ."""
    for name, change in CHANGES.items():
        path = ROOT / name
        before = path.read_text(encoding="utf-8")
        after = change(before)
        if after != before:
            path.write_text(after, encoding="utf-8")
            print(f"{name}: written")


if __name__ == "__main__":
    main()
