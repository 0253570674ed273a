"""The scenarios: each a coroutine over a Run, registered by its name."""

from server import Behaviour

SCENARIOS = {}


def scenario(function):
    SCENARIOS[function.__name__.replace("_", "-")] = function
    return function


@scenario
async def clean(run):
    """5,000 notifications to a server that does everything right."""
    await run.start(5000)
    run.send()
    await run.finish(60)
    await run.fresh()

    def after(tally):
        run.require(tally.accepted == tally.sent, "not all were accepted")
        run.require(tally.repeats == 0, "something was sent twice")

    return after
