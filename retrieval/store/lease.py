"""Who holds the lease, and whether that process still lives.

A lease ends when it is given back or runs out. A holder on this very machine that was killed is noticed
sooner, by its process being gone, so that a crash does not block the next run.
"""

import os
import platform
import uuid
from pathlib import Path

LEASE_SECONDS = 30.0
"""How long a lease lasts without being extended; a writer extends it every third of that.

Its end is written down on the writer's clock. The writer itself goes by one that nobody sets: after so long
without an extension, because it was stopped for example, it writes no more.
"""

_NONCE = uuid.uuid4().hex[:8]


def name_holder() -> str:
    """Returns a name for this process that no other process has, now or later."""
    return "|".join((_machine(), str(os.getpid()), _started(os.getpid()) or "", _NONCE))


def is_of_process(holder: str, pid: int) -> bool:
    """Says whether `holder` is a process of this machine with this number."""
    return holder.split("|")[:2] == [_machine(), str(pid)]


def is_dead(holder: str) -> bool:
    """Says whether `holder` was a process of this machine that has ended."""
    try:
        machine, pid, started, _ = holder.split("|")
        process = int(pid)
    except ValueError:
        return False
    if machine != _machine():
        return False
    if started:
        return _started(process) != started
    return not _exists(process)


def _machine() -> str:
    """Names what a process number belongs to: host, boot and, in a container, its own set."""
    try:
        boot = Path("/proc/sys/kernel/random/boot_id").read_text(encoding="utf-8").strip()
        space = os.readlink("/proc/self/ns/pid")
    except OSError:
        return platform.node()
    return f"{platform.node()}/{boot}/{space}"


def _started(pid: int) -> str | None:
    """Returns when a process started, in clock ticks; None where it is gone or there is no /proc."""
    try:
        stat = Path(f"/proc/{pid}/stat").read_text(encoding="utf-8", errors="replace")
    except OSError:
        return None
    fields = stat.rpartition(")")[2].split()
    state, start = fields[0], fields[19]
    return None if state in "ZX" else start


def _exists(pid: int) -> bool:
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    except OSError:
        return True
    return True
