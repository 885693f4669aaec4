"""Chooses which variables of our environment commands get.

Passwords and tokens come by environment variables, and the environment of a process can be read by every process of
its user. So a command gets what it needs to find programs and files and what steers its memory, by name, and nothing
else; proxies and registries, which often hold passwords, only where something is fetched.
"""

from __future__ import annotations

import os
from collections.abc import Mapping

# Variables that select the memory allocator are kept: dropping them would change measured numbers.
KEPT = frozenset(
    "PATH HOME USER LOGNAME SHELL TZ TMPDIR "
    "XDG_RUNTIME_DIR XDG_CACHE_HOME XDG_CONFIG_HOME XDG_CONFIG_DIRS XDG_DATA_HOME XDG_DATA_DIRS FONTCONFIG_FILE "
    "LD_LIBRARY_PATH LD_PRELOAD GLIBC_TUNABLES MALLOC_CONF MALLOC_ARENA_MAX MALLOC_MMAP_THRESHOLD_ "
    "MALLOC_TRIM_THRESHOLD_ MALLOC_TOP_PAD_ TCMALLOC_RELEASE_RATE "
    "TCMALLOC_MAX_TOTAL_THREAD_CACHE_BYTES".split()
)
_FOR_DOWNLOADS = frozenset(
    "HTTP_PROXY HTTPS_PROXY FTP_PROXY ALL_PROXY NO_PROXY SSL_CERT_FILE SSL_CERT_DIR CURL_CA_BUNDLE APT_CONFIG NETRC "
    "JAVA_HOME JAVA_TOOL_OPTIONS M2_HOME MAVEN_HOME MAVEN_OPTS MAVEN_ARGS NODE_EXTRA_CA_CERTS NODE_OPTIONS "
    "NVM_DIR NPM_TOKEN".split()
)
_FOR_DOWNLOADS_PREFIX = "NPM_CONFIG_"


def command_environment(
    added: Mapping[str, str] | None, *, is_download: bool = False, environ: Mapping[str, str] = os.environ
) -> dict[str, str]:
    """Return variables for a command: what is kept of `environ`, messages in English, then those that are added.

    >>> environ = {"PATH": "/bin", "DB_PASSWORD": "secret", "https_proxy": "http://me:secret@proxy:3128"}
    >>> command_environment({"APT_CONFIG": "apt.conf"}, environ=environ)
    {'PATH': '/bin', 'LC_ALL': 'C', 'APT_CONFIG': 'apt.conf'}
    >>> sorted(command_environment(None, is_download=True, environ=environ))
    ['LC_ALL', 'PATH', 'https_proxy']
    """
    variables = {
        name: value for name, value in environ.items() if name in KEPT or (is_download and _is_for_downloads(name))
    }
    return {**variables, "LC_ALL": "C", **(added or {})}


def _is_for_downloads(name: str) -> bool:
    upper = name.upper()  # clients read the names of proxies in either case, npm its settings in lower case
    return upper in _FOR_DOWNLOADS or upper.startswith(_FOR_DOWNLOADS_PREFIX)
