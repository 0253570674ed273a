"""nginx in front of `waybill serve`, configured with the very lines of docs/operations/api.md."""

import json
import re
import shutil
import ssl
import time
import urllib.request
from http.client import HTTPResponse
from pathlib import Path
from urllib.error import HTTPError

from common.certificates import Authority
from common.places import ROOT
from websockets.sync.client import connect
from websockets.typing import Origin

from faults.cases import case
from faults.cases.sockets import Plain, Server, close_code, listens, said
from faults.process import Process, eventually
from faults.run import Run
from faults.servers.ports import free_ports

DOCUMENT = "docs/operations/api.md"
# Longer than the time for which nginx waits for a server's next word, if it is not told otherwise.
IDLE = 65

FRAME = """daemon off;
pid {folder}/nginx.pid;
error_log stderr;
events {{ }}
http {{
    access_log off;
    client_body_temp_path {folder}/bodies;
    proxy_temp_path {folder}/proxied;
    fastcgi_temp_path {folder}/fastcgi;
    uwsgi_temp_path {folder}/uwsgi;
    scgi_temp_path {folder}/scgi;
    server {{
        listen 127.0.0.1:{port} ssl;
        ssl_certificate {certificate};
        ssl_certificate_key {key};
{locations}
    }}
}}
"""


def locations(port: int) -> str:
    """The document's lines for a server at this port. nginx's own is not 443: so `$http_host`, as the document says."""
    (block,) = re.findall(r"```nginx\n(.*?)```", (ROOT / DOCUMENT).read_text(), re.DOTALL)
    assert "127.0.0.1:8080" in block and "Host $host;" in block, block
    return block.replace("127.0.0.1:8080", f"127.0.0.1:{port}").replace("Host $host;", "Host $http_host;")


def front(run: Run, server: Server, authority: Authority) -> int:
    """nginx, with TLS; its port."""
    program = shutil.which("nginx", path="/usr/sbin:/usr/bin")
    assert program, "there is no nginx"
    (port,) = free_ports(1)
    certificate, key = authority.issue("front")
    folder: Path = run.folder / "nginx"
    folder.mkdir()
    configuration = folder / "nginx.conf"
    configuration.write_text(
        FRAME.format(folder=folder, port=port, certificate=certificate, key=key, locations=locations(server.port))
    )
    arguments = [program, "-p", str(folder), "-e", "stderr", "-c", str(configuration)]
    process = Process("nginx", arguments, run.folder / "nginx.log")
    run.at_close(process.kill)
    eventually("nginx listens", lambda: listens(port), 30)
    return port


def await_event(stream: HTTPResponse, name: str) -> None:
    """Reads until the event comes; TimeoutError when a minute brings nothing at all."""
    while line := stream.readline():
        if line.strip() == f"event: {name}".encode():
            return
    raise AssertionError("the stream has ended")


@case("proxied", quick=False)
def people_behind_nginx(run: Run) -> None:
    """nginx as api.md has it: requests, server-sent events as they come, WebSockets, both after a minute of silence"""
    run.open()
    run.start()
    authority = Authority(run.folder / "front-authority")
    server = Server(run, {"behind_proxy": ["127.0.0.1"]})
    port = front(run, server, authority)
    context = ssl.create_default_context(cafile=str(authority.certificate))
    api = Plain(server, context, port)
    api.sign_up("ada.l")
    session = api.log_in("ada.l")
    token, account = session["access_token"], session["account"]

    url = f"https://localhost:{port}/v1/events"
    request = urllib.request.Request(url, headers={"Authorization": f"Bearer {token}", "Accept": "text/event-stream"})
    with (
        urllib.request.urlopen(request, timeout=60, context=context) as stream,
        connect(
            f"wss://localhost:{port}/v1/socket", ssl=context, origin=Origin(f"https://localhost:{port}"), proxy=None
        ) as socket,
    ):
        socket.send(json.dumps({"op": "identify", "token": token}))
        assert said(socket)["event"] == "ready"
        eventually("both listen", lambda: server.total("event_listeners") == 2)
        for silence in (0, IDLE):
            time.sleep(silence)
            server.tell(account)
            assert said(socket)["event"] == "service"
            await_event(stream, "service")
        api.ask("DELETE", "/v1/account/sessions/current", token=token)
        assert close_code(socket) == 4410
    try:
        api.ask("GET", "/v1/account", token=token)
        raise AssertionError("a session that has ended is let in")
    except HTTPError as refusal:
        assert refusal.code == 401, refusal
    assert server.process.end() == 0
