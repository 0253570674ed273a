"""One scenario with FCM: the server, its token endpoint, the probe, and what is asked in the end."""

from collections.abc import Callable, Sequence
from typing import Any

from strict.behaviour import Behaviour
from strict.fcm import plan
from strict.fcm.account import PROJECT, Account, Office
from strict.fcm.connection import FCMBehaviour
from strict.fcm.server import FCMServer, TokenServer
from strict.ledger import Ledger
from strict.registry import RUNS, Scenario, scenario
from strict.run import FRESH, Run
from strict.server import Server


def fcm_scenario(function: Any) -> Scenario:
    """Registers a coroutine over an FCMRun."""
    RUNS[function.__name__.replace("_", "-")] = FCMRun
    return scenario(function)


class FCMRun(Run):
    """What a scenario with FCM works with."""

    probed = "fcm-probe"
    plain = FCMBehaviour

    async def start(
        self,
        count: int,
        behaviour: Behaviour | Callable[[Server], Behaviour] | None = None,
        *,
        options: Sequence[str] = (),
        patience: int = 30_000,
        answer: int = 11_000,
        connections: int = 3,
        life: float = 3599,
        **making: Any,
    ) -> None:
        """Starts both servers and the probe beside them; `making` goes to plan.make."""
        self.count = count
        self.items = plan.make(self.random, count + FRESH, **making)
        # The token endpoint's connections have books of their own: nothing is resent there.
        self.endpoint_ledger = Ledger()
        self.office = Office(self.ledger.violation)
        self.office.life = life
        context = self.keys.context()
        self.endpoint = TokenServer(self.endpoint_ledger, context, self.office, [], random=self.random)
        self.endpoint.listen()
        self.server = FCMServer(self.ledger, context, self.office, self.items, random=self.random)
        if behaviour is not None:
            self.server.behaviour = behaviour
        self.server.listen()
        self.folder.mkdir(parents=True, exist_ok=True)
        (self.folder / "plan.tsv").write_text("".join(item.line() for item in self.items))
        account = self.account("sender")
        arguments = ["--host", "127.0.0.1", "--port", str(self.server.port), "--plan", str(self.folder / "plan.tsv")]
        arguments += ["--trust", str(self.keys.trust), "--account", str(account.file), "--project", PROJECT]
        arguments += ["--connections", str(connections), "--spacing", "100", "--reconnect", "50,400"]
        arguments += ["--deadline", f"patience={patience}", "--deadline", f"answer={answer}", *options]
        await self.probe.start(self.program, arguments, self.folder / "probe.ndjson", self.environment)

    def account(self, name: str) -> Account:
        """A service account that may send."""
        account = Account(name, self.folder, f"https://127.0.0.1:{self.endpoint.port}/token")
        self.office.accounts[account.email] = account
        return account

    async def close(self, grace: int = 3000, seconds: float | None = None) -> None:
        await super().close(grace, seconds)
        self.end_endpoint()

    def end_endpoint(self) -> None:
        """What the token endpoint has to say of the client."""
        self.endpoint.end()
        self.extra += [f"token endpoint: {text}" for text in self.endpoint_ledger.violations]
        self.extra += [f"token endpoint: {text}" for text in self.endpoint_ledger.errors]
