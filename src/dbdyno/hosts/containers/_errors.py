"""Errors of the client library and of the engine behind it, in our words."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator

from dbdyno.core import HostError


@contextlib.contextmanager
def told(what: str, remedy: str = "", why: str = "") -> Iterator[None]:
    """What the client library raises, in our words."""
    import requests
    from docker.errors import APIError, DockerException

    try:
        yield
    except APIError as error:
        raise HostError(what, "\n".join(filter(None, (why, str(error.explanation or error)))), remedy) from error
    except (DockerException, requests.RequestException, OSError) as error:
        text = str(error)
        if "Permission denied" in text:
            remedy = "add your user to the group docker and log in anew, or use Podman's own socket"
        raise HostError(what, "\n".join(filter(None, (why, _last_cause(error)))), remedy) from error


def _last_cause(error: BaseException) -> str:
    """What lies at the root of a chain of errors, in one line."""
    while error.__cause__ is not None or error.__context__ is not None:
        error = error.__cause__ or error.__context__ or error
    return str(error).splitlines()[0] if str(error) else type(error).__name__
