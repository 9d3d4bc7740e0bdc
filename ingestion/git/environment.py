"""What does git see of the machine? Settings of its own, and a few variables of the caller."""

import os
from collections.abc import Mapping
from pathlib import Path

TRANSPORTS = ("file", "git", "http", "https", "ssh")
_NO_TRANSPORT = "none"

# Everything else of the caller's environment, every GIT_* variable and every key included, stays
# out of git and of what git starts.
_KEPT_VARIABLES = frozenset(
    [
        *("PATH", "HOME", "USER", "LOGNAME", "TMPDIR", "TEMP", "TMP", "XDG_RUNTIME_DIR"),
        *("SSH_AUTH_SOCK", "SSH_AGENT_PID", "GIT_SSH_COMMAND"),
        *("http_proxy", "https_proxy", "all_proxy", "no_proxy"),
        *("HTTP_PROXY", "HTTPS_PROXY", "ALL_PROXY", "NO_PROXY"),
        *("SSL_CERT_FILE", "SSL_CERT_DIR", "CURL_CA_BUNDLE", "GIT_SSL_CAINFO"),
    ]
)
# Without the batch mode ssh asks for a passphrase on the terminal.
_SSH_OPTIONS = "-o BatchMode=yes -o ConnectTimeout=20"
_SETTINGS = """\
[core]
	hooksPath = /dev/null
	askPass =
	fsmonitor = false
	attributesFile = /dev/null
	commitGraph = false
[credential]
	helper =
[gc]
	auto = 0
[maintenance]
	auto = false
[fetch]
	recurseSubmodules = false
	writeCommitGraph = false
[http]
	lowSpeedLimit = 200
	lowSpeedTime = 60
[uploadpack]
	allowFilter = true
	allowAnySHA1InWant = true
"""


def git_environment(settings: Path, *, network: bool, pairs: Mapping[str, str]) -> dict[str, str]:
    """Variables for one command.

    Args:
        settings: File of settings; a server that git starts for a local folder reads it too.
        network: Whether a remote may be reached; otherwise every transport is refused, so that an
            object left out by a filter is missing and never fetched.
        pairs: Further settings of the command; they are in no argument and on no disk.
    """
    environment = {name: os.environ[name] for name in _KEPT_VARIABLES & os.environ.keys()}
    ssh = environment.get("GIT_SSH_COMMAND", "ssh")
    environment |= {
        "LC_ALL": "C",
        "GIT_CONFIG_NOSYSTEM": "1",
        "GIT_CONFIG_GLOBAL": str(settings),
        "GIT_ATTR_NOSYSTEM": "1",
        "GIT_TERMINAL_PROMPT": "0",
        "GIT_ASKPASS": "",
        "SSH_ASKPASS": "",
        "SSH_ASKPASS_REQUIRE": "never",
        "GIT_SSH_COMMAND": f"{ssh} {_SSH_OPTIONS}",
        "GIT_ALLOW_PROTOCOL": ":".join(TRANSPORTS) if network else _NO_TRANSPORT,
        "GIT_NO_LAZY_FETCH": "1",
        "GIT_NO_REPLACE_OBJECTS": "1",
        "GIT_OPTIONAL_LOCKS": "0",
        "GIT_CONFIG_COUNT": str(len(pairs)),
    }
    for number, (key, value) in enumerate(pairs.items()):
        environment[f"GIT_CONFIG_KEY_{number}"] = key
        environment[f"GIT_CONFIG_VALUE_{number}"] = value
    return environment


def settings_text(trusted: Path | None) -> str:
    """Content of the file of settings.

    Args:
        trusted: A local repository that the configuration names; git would refuse it in a
            container, where it belongs to another user.
    """
    if trusted is None:
        return _SETTINGS
    lines = (f"\tdirectory = {_quoted(name)}\n" for name in _names_of(trusted))
    return f"{_SETTINGS}[safe]\n{''.join(lines)}"


def _names_of(folder: Path) -> list[str]:
    places = dict.fromkeys((folder, folder.resolve()))
    return [str(place / part) for place in places for part in ("", ".git")]


def _quoted(value: str) -> str:
    escaped = value.replace("\\", "\\\\").replace('"', '\\"').replace("\n", "\\n")
    return f'"{escaped}"'
