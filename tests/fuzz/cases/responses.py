"""Responses written in Python, for worlds of the fuzzers; scripts of failures carry their source."""

import carom


def bounce(world, contact):
    """Both bodies leave along the normal at 0.8 m/s and stop turning; those of infinite mass go on."""
    ids, masses = list(world.bodies), world.masses
    for body, other, side in ((contact.a, contact.b, -1.0), (contact.b, contact.a, 1.0)):
        motion = world.motion(body)
        if masses[ids.index(body)] < 1e300 and isinstance(motion, carom.Motion):
            beside = world.motion(other)
            speed = (beside.pieces()[-1] if isinstance(beside, carom.Keyframes) else beside).velocity_at(contact.time)
            velocity = motion.velocity_at(contact.time)
            velocity = velocity - contact.normal * ((velocity - speed) @ contact.normal) + side * contact.normal * 0.8
            place, turn = motion.position_at(contact.time), motion.orientation_at(contact.time)
            world.set_motion(
                body, carom.Motion(place, velocity, motion.acceleration, turn, start=contact.time)
            )  # fmt: skip


def watch(world, contact):
    """Look, and change nothing."""
    assert world.time == contact.time
