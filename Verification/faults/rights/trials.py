"""For each command something that needs every right it has: True when it has worked."""

from collections.abc import Callable

from faults.rights import audiences, commands, people, workers
from faults.rights.serve import serve
from faults.rights.trial import Trial

TRIALS: dict[str, Callable[[Trial], bool]] = {
    function.__name__: function
    for function in (
        *(commands.init, commands.check, commands.send, commands.logs, commands.explain, commands.export, commands.stats),
        *(commands.devices, commands.status, commands.rejected),
        *(people.keys, people.accounts, people.services, people.lanes, people.cancel),
        *(workers.dispatch, workers.prune, workers.hooks, workers.webhooks),
        *(audiences.fanout, audiences.audience, audiences.campaign, audiences.schedule),
        serve,
    )
}
