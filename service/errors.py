"""What can go wrong around the packages below: settings, names, jobs, addresses and evaluation sets."""

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


class AdminDisabled(WikitrailError):
    """The service has no admin token, so that its admin routes are off."""

    code: ClassVar[str] = "admin-disabled"


class JobMissing(WikitrailError):
    """There is no job of this id."""

    code: ClassVar[str] = "job-not-found"


class JobRunning(WikitrailError):
    """The wiki is being indexed, so that nothing else can change its index."""

    code: ClassVar[str] = "job-running"


class AddressUnavailable(WikitrailError):
    """The service cannot listen at the address of the settings."""

    code: ClassVar[str] = "address-unavailable"


class InvalidSet(WikitrailError):
    """A file of an evaluation set is missing or wrong."""

    code: ClassVar[str] = "invalid-set"


class InvalidGate(WikitrailError):
    """A file of floors for an evaluation cannot be used."""

    code: ClassVar[str] = "invalid-gate"


class TuningImpossible(WikitrailError):
    """A wiki cannot be tuned as its index is now: there are no vectors, or not all of them."""

    code: ClassVar[str] = "tuning-impossible"
