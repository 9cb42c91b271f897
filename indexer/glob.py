"""A gitignore pattern as a regular expression that takes no longer than the square of a path.

What a star has taken is never given up again (atomic groups). That misses nothing: the first place where the
text up to the next star fits leaves most to what follows. With stars that may take all of it back, a name of
60 letters and a pattern of 17 take minutes, and who writes pages may write both.
"""

import re

_TOKEN = re.compile(
    r"""(?P<stars>\*+)
    | (?P<any>\?)
    | \[ (?P<negation>[!^]?) (?P<set> \]? (?: \\. | \[:\w+:\] | [^\]\\] )* ) \]
    | \\ (?P<escaped>.)
    | (?P<plain>[^\[\\])""",
    re.VERBOSE | re.DOTALL,
)
_MEMBER = re.compile(
    r"\[:(?P<named>\w+):\] | (?P<first>\\.|.) (?: - (?P<last>\\.|.) )?", re.VERBOSE | re.DOTALL
)
_NAMED = {
    "alnum": "0-9A-Za-z",
    "alpha": "A-Za-z",
    "blank": r" \t",
    "cntrl": r"\x00-\x1f\x7f",
    "digit": "0-9",
    "graph": "!-~",
    "lower": "a-z",
    "print": " -~",
    "punct": r"!-/:-@\[-`{-~",
    "space": r"\s",
    "upper": "A-Z",
    "xdigit": "0-9A-Fa-f",
}
_FOLDERS = "(?:[^/]+/)*"


def translate_glob(glob: str) -> re.Pattern[str]:
    """Returns what matches the whole of a path that `glob` names; both have "/" between names.

    Raises:
        ValueError: a bracket or an escape is not ended, or a range runs backwards.
    """
    runs: list[list[str]] = [[]]
    for name in _split_names(glob):
        if [bool(token["stars"]) for token in name] == [True] and len(name[0]["stars"]) > 1:
            runs.append([])
        else:
            runs[-1].append(_translate_name(name))
    try:
        return re.compile(_join_runs(["/".join(run) for run in runs]), re.DOTALL)
    except re.error as error:
        raise ValueError(str(error)) from error


def _join_runs(runs: list[str]) -> str:
    """Joins what stands between two stars each: any number of folders may lie there."""
    if len(runs) == 1:
        return runs[0]
    first, *between, last = runs
    start = f"{first}/" if first else ""
    middle = "".join(f"(?>{_FOLDERS}?{run}/)" for run in between if run)
    return start + middle + (_FOLDERS + last if last else ".+")


def _split_names(glob: str) -> list[list[re.Match[str]]]:
    """Returns the tokens of each name; a slash in brackets separates none."""
    names: list[list[re.Match[str]]] = [[]]
    position = 0
    while position < len(glob):
        token = _TOKEN.match(glob, position)
        if token is None:
            raise ValueError(f"nothing ends {glob[position:]!r}")
        if "/" in (token["plain"], token["escaped"]):
            names.append([])
        else:
            names[-1].append(token)
        position = token.end()
    return names


def _translate_name(tokens: list[re.Match[str]]) -> str:
    """Returns the expression for what stands between two slashes; no path has nothing there."""
    if not tokens:
        return "(?!)"
    pieces = [""]
    for token in tokens:
        if token["stars"]:
            pieces.append("")
        else:
            pieces[-1] += _translate_character(token)
    if len(pieces) == 1:
        return pieces[0]
    first, *between, last = pieces
    middle = "".join(f"(?>[^/]*?{piece})" for piece in between)
    return f"{first}{middle}(?>[^/]*{last}(?![^/]))"


def _translate_character(token: re.Match[str]) -> str:
    if token["any"]:
        return "[^/]"
    if token["set"] is not None:
        members = "".join(map(_translate_member, _MEMBER.finditer(token["set"])))
        return f"(?!/)[{'^' if token['negation'] else ''}{members}]"
    return re.escape(token["escaped"] or token["plain"])


def _translate_member(member: re.Match[str]) -> str:
    if member["named"]:
        try:
            return _NAMED[member["named"]]
        except KeyError:
            raise ValueError(f"no characters are called {member['named']!r}") from None
    first, last = (re.escape(end[-1]) if end else "" for end in (member["first"], member["last"]))
    return f"{first}-{last}" if last else first
