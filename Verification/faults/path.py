"""One way from a dispatcher to its three servers: a chaos proxy for each, and the configuration that leads there."""

import json
from pathlib import Path as FilePath

from proxy import wires
from proxy.server import Proxy

from faults.oracle.audit import AckAudit
from faults.product import Programs, Simulator, configuration
from faults.servers.services import Services

CONSUME, PUBLISH = "dispatch (consume)", "dispatch (publish)"  # what the dispatcher calls its connections


class Path:
    """Proxies `broker`, `store` and `apns`, and `config`, a file for a dispatcher that goes through them.

    audit: what watches the acknowledgements on this path.
    """

    def __init__(
        self,
        file: FilePath,
        services: Services,
        simulator: Simulator,
        programs: Programs,
        prefix: str,
        database: str,
        audit: AckAudit,
        seed: int,
        more: dict | None = None,
    ) -> None:
        self.broker = Proxy("broker", services.broker_port, wires.AMQP, seed)
        self.store = Proxy("store", services.store_port, wires.Mongo, seed)
        self.apns = Proxy("apns", simulator.port, wires.TLS, seed)
        if simulator.provider == "fcm":  # the first lane leads through the proxy, and the others past it
            first, *further = (more or {})["lanes"]
            more = {**(more or {}), "lanes": [{**first, "endpoint": f"https://localhost:{self.apns.port}"}, *further]}
        self.config = file
        self.simulator = simulator
        self.audit = audit
        self.broker.watch(audit.watch)
        file.write_text(
            json.dumps(
                configuration(
                    broker=f"amqp://guest:guest@127.0.0.1:{self.broker.port}/",
                    store=f"mongodb://127.0.0.1:{self.store.port}/?directConnection=true",
                    apns_port=self.apns.port,
                    prefix=prefix,
                    database=database,
                    credentials=programs.credentials,
                    more=more,
                ),
                indent=1,
            )
        )

    @property
    def proxies(self) -> tuple[Proxy, Proxy, Proxy]:
        return (self.broker, self.store, self.apns)

    def unacknowledged(self) -> int:
        """Notifications that the broker has handed out over this path and waits for."""
        return self.audit.open_items(self.broker.live_links())

    def heal(self) -> None:
        """Resets every link and forgets every fault: nothing that was withheld ever arrives."""
        for proxy in self.proxies:
            proxy.heal()

    def close(self) -> None:
        for proxy in self.proxies:
            proxy.close()
