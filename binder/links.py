"""Write the address of the repository into README.md, course/README.md (links to the Binder service) and pyproject.toml.

    python binder/links.py

The address is in one place, ``binder/repository.txt``: provider, owner, repository and branch, as in the addresses of
mybinder.org. Change it there, run this, commit.
"""

from __future__ import annotations

import re
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
SERVICE = "https://mybinder.org"
HOSTS = {"gh": "github.com", "gl": "gitlab.com"}
BADGE = re.compile(r"^\[!\[Launch the course on Binder\].*$", re.MULTILINE)
ROW = re.compile(r"^\| \d\db? \| \[?(\w+)")


def repository() -> str:
    """Return where the repository is published."""
    return (ROOT / "binder" / "repository.txt").read_text(encoding="ascii").strip()


def link(path: str) -> str:
    """Return the address that opens a file of the repository in JupyterLab."""
    return f"{SERVICE}/v2/{repository()}?urlpath=lab/tree/{path}"


def badge() -> str:
    """Return the badge of README.md."""
    return f"[![Launch the course on Binder]({SERVICE}/badge_logo.svg)]({link('student/README.md')})"


def with_badge(text: str) -> str:
    """Return README.md with the badge below its title, at today's address."""
    text = BADGE.sub(badge(), text)
    return text if badge() in text else text.replace("\n\n", f"\n\n{badge()}\n\n", 1)


def with_launches(text: str) -> str:
    """Return the table of lectures with a last column that opens each lecture that is written."""
    lines = []
    for line in text.splitlines():
        if line.startswith("| | lecture |"):
            line = line.removesuffix(" open |") + (" open |")
        elif line.startswith("|---:|"):
            line = "|---:|---|---|---|---|---|"
        elif row := ROW.match(line):
            opened = (
                f"[launch]({link(f'student/{row[1]}.ipynb')})" if (ROOT / f"course/{row[1]}.ipynb").is_file() else ""
            )
            line = "|".join(["", *line.strip("|").split("|")[:5], f" {opened} |"])
        lines.append(line)
    return "\n".join(lines) + "\n"


def with_urls(text: str) -> str:
    """Return pyproject.toml with the addresses of the repository."""
    provider, owner, name, branch = repository().split("/")
    home = f"https://{HOSTS[provider]}/{owner}/{name}"
    for key, end in {"Repository": "", "Issues": "/issues", "Changelog": f"/blob/{branch}/CHANGELOG.md"}.items():
        text = re.sub(rf'^{key} = ".*"$', f'{key} = "{home}{end}"', text, flags=re.MULTILINE)
    return text


CHANGES = {"README.md": with_badge, "course/README.md": with_launches, "pyproject.toml": with_urls}


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
