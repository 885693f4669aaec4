"""Container engines that do not answer, may not be used, or are another machine's."""

from __future__ import annotations

import http.server
import json
import signal
import socketserver
import subprocess
import threading
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, cast

import pytest
from docker.errors import NotFound

from dbdyno.core import HostError
from dbdyno.hosts.containers import ContainerOrder, ContainerProcess, open_containers
from error_codes import raises_code

USER = (1000, 1000)


def test_where_no_engine_answers_the_error_says_where_it_was_looked_for(tmp_path: Path) -> None:
    with raises_code(HostError, "container-engine-missing") as caught:
        open_containers(USER, {"DOCKER_HOST": f"unix://{tmp_path}/docker.sock"})
    assert "DOCKER_HOST" in caught.value.remedy and caught.value.why


def test_podmans_own_socket_is_found_where_docker_has_none(tmp_path: Path) -> None:
    if Path("/var/run/docker.sock").exists():
        pytest.skip("this machine has a Docker daemon of its own")
    (tmp_path / "podman").mkdir()
    (tmp_path / "podman" / "podman.sock").touch()
    with pytest.raises(HostError, match=r"podman/podman.sock"):
        open_containers(USER, {"XDG_RUNTIME_DIR": str(tmp_path)})


@pytest.mark.parametrize("address", ["tcp://192.0.2.1:2375", "ssh://elsewhere"])
def test_an_engine_of_another_machine_is_refused_before_it_is_asked(address: str) -> None:
    with raises_code(HostError, "other-machine"):
        open_containers(USER, {"DOCKER_HOST": address})


class Engine(http.server.BaseHTTPRequestHandler):
    """Answers as an engine that has no images and whose registry refuses."""

    def do_GET(self) -> None:
        if self.path.endswith("/version"):
            parts = [{"Name": "Podman Engine", "Version": "5.4.0"}]
            self._say(200, {"ApiVersion": "1.41", "Version": "5.4.0", "Components": parts})
        else:
            self._say(404, {"message": "No such image"})

    def do_POST(self) -> None:
        self._say(500, {"message": "unauthorized: incorrect username or password"})

    def _say(self, status: int, content: object) -> None:
        body = json.dumps(content).encode()
        self.send_response(status)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def address_string(self) -> str:
        return "socket"

    def log_message(self, *_: object) -> None:
        pass


@pytest.fixture
def engine(tmp_path: Path) -> Iterator[str]:
    with socketserver.ThreadingUnixStreamServer(str(tmp_path / "e.sock"), Engine) as server:
        server.daemon_threads, server.block_on_close = True, False
        thread = threading.Thread(target=server.serve_forever, daemon=True)
        thread.start()
        yield f"unix://{tmp_path}/e.sock"
        server.shutdown()
        thread.join()


def test_the_registrys_words_are_given_when_a_pull_is_refused(engine: str) -> None:
    containers = open_containers(USER, {"DOCKER_HOST": engine})
    assert containers.describe() == "Podman 5.4.0" and containers.image("mysql:8.4") is None
    said: list[str] = []
    with raises_code(HostError, "not-pulled", "mysql:8.4") as caught:
        containers.pull("mysql:8.4", said.append)
    assert "unauthorized" in caught.value.why and "log in" in caught.value.remedy and said == ["pull mysql:8.4"]


class DyingContainer:
    """A container whose process has crashed: whoever asks second, asks while it is being removed."""

    id = "0123456789abcdef"

    def __init__(self, pid: int) -> None:
        self.attrs: dict[str, Any] = {"State": {"Pid": pid, "Status": "running"}, "NetworkSettings": {}}
        self.removed = threading.Event()
        self.while_asked: Callable[[], None] | None = None

    def reload(self) -> None:
        if self.removed.is_set():
            raise NotFound("no such container")

    def wait(self, timeout: float) -> dict[str, int]:
        if self.while_asked is None:
            self.removed.wait(timeout)
        else:
            ask, self.while_asked = self.while_asked, None
            ask()
        return {"StatusCode": 128 + signal.SIGSEGV}

    def logs(self) -> bytes:
        return b"last words"


class RemovingEngine:
    where = "a socket"

    def __init__(self, container: DyingContainer) -> None:
        self._container = container

    def remove(self, container_id: str) -> bool:
        self._container.removed.set()
        return True


def test_how_a_container_ended_is_known_although_two_threads_ask_at_once(tmp_path: Path) -> None:
    with subprocess.Popen(["sleep", "60"]) as server:
        container = DyingContainer(server.pid)
        order, output = ContainerOrder("image", ("sleep",)), tmp_path / "output"
        process = ContainerProcess(cast("Any", RemovingEngine(container)), cast("Any", container), order, output)
        server.kill()
    other = threading.Thread(target=process.poll)

    def ask_too() -> None:
        other.start()
        other.join(0.5)

    container.while_asked = ask_too
    code = process.poll()
    other.join()
    assert (code, process.poll(), output.read_bytes()) == (-signal.SIGSEGV, -signal.SIGSEGV, b"last words")
