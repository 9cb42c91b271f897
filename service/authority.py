"""The host and origin that a request names, in one form, so that they can be compared."""

import re
from ipaddress import IPv4Address, IPv6Address, ip_address

_AUTHORITY = re.compile(r"(?:\[([0-9A-Fa-f:.]+)\]|([A-Za-z0-9._-]+))(?::[0-9]{1,5})?")
_ORIGIN = re.compile(r"(https?)://([^/?#@\\\s]+)", re.IGNORECASE)


def parse_host(authority: str) -> str | None:
    """Returns the host of `host[:port]`, None where it is malformed.

    Names are in lower case and without a final dot, addresses in their shortest form and without brackets.
    """
    match = _AUTHORITY.fullmatch(authority)
    if match is None:
        return None
    in_brackets, name = match.groups()
    address = _parse_address(in_brackets or name)
    if address is not None:
        return str(address)
    return None if in_brackets else name.lower().removesuffix(".") or None


def parse_origin(text: str) -> tuple[str, str] | None:
    """Returns scheme and `host[:port]` of an origin in lower case; None for `null` and what is none."""
    match = _ORIGIN.fullmatch(text)
    if match is None or parse_host(match[2]) is None:
        return None
    return match[1].lower(), match[2].lower()


def parse_address(text: str) -> str | None:
    """Returns a bare address in its shortest form, None for anything else."""
    address = _parse_address(text)
    return None if address is None else str(address)


def is_loopback(host: str) -> bool:
    """Says whether `host` is an address that only this machine reaches."""
    address = _parse_address(host)
    return address is not None and address.is_loopback


def _parse_address(text: str) -> IPv4Address | IPv6Address | None:
    try:
        address = ip_address(text)
    except ValueError:
        return None
    return (address.ipv4_mapped if isinstance(address, IPv6Address) else None) or address
