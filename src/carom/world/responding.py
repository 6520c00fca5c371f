"""What a world does about a contact that its event loop has found, and about contacts that do not come to an end."""

from __future__ import annotations

from typing import TYPE_CHECKING

from carom.errors import CaromError
from carom.world.broad_phase import sync
from carom.world.log import take_log

if TYPE_CHECKING:
    from carom.world.world import World


def respond(world: World) -> None:
    """Let the response, a function, see the contact that was logged last."""
    take_log(world)
    assert callable(world.response)
    world.response(world, world._logs[-1][len(world._logs[-1]) - 1])
    sync(world)


def stuck(world: World) -> CaromError:
    """The error where too many contacts come at one time."""
    why = "the response lets them approach again" if callable(world.response) else "bodies are wedged between others"
    return CaromError(f"contacts at t = {world._time} do not come to an end: {why}; the world stands at that time")
