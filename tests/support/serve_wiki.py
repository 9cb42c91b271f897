"""Serves a wiki from a process of its own: `python serve_wiki.py ROOT TOKEN GATE-FOLDER`; prints its address.

Its embedder is the fake one, also in index runs, which are held up at the gate of the folder.
"""

import sys
from pathlib import Path

from fakes import FakeEmbedder
from runs import Gate, run_command

from service.http.app import create_app
from service.server import address_of, listen, run_server
from service.settings import Settings
from service.wiring import Application


def main() -> None:
    root, token, folder = sys.argv[1:]
    settings = Settings(wikis={"default": {"root": root}}, admin_token=token)
    embedder = FakeEmbedder()
    command = run_command(embedder, Gate(Path(folder)))
    app = create_app(Application(settings, embedder=embedder), run_command=command)
    listener = listen("127.0.0.1", 0)
    print(address_of(listener), flush=True)
    run_server(app, listener)


if __name__ == "__main__":
    main()
