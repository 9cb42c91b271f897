"""What can go wrong around the packages below: settings, names, addresses and evaluation sets."""

from typing import ClassVar

from chunking import WikitrailError


class InvalidSettings(WikitrailError):
    """A setting has a wrong value or name, or the settings file cannot be read."""

    code: ClassVar[str] = "invalid-settings"


class WikiMissing(WikitrailError):
    """No wiki of this name is configured."""

    code: ClassVar[str] = "wiki-not-found"


class FolderUnknown(WikitrailError):
    """A wiki is known by its index alone, so it can be searched but not indexed."""

    code: ClassVar[str] = "folder-unknown"


class AddressUnavailable(WikitrailError):
    """The service cannot listen at the address of the settings."""

    code: ClassVar[str] = "address-unavailable"


class InvalidSet(WikitrailError):
    """A file of an evaluation set is missing or wrong."""

    code: ClassVar[str] = "invalid-set"


class InvalidGate(WikitrailError):
    """A file of floors for an evaluation cannot be used."""

    code: ClassVar[str] = "invalid-gate"
