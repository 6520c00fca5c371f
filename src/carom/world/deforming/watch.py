"""When a pair with a deforming body next touches, and what of it touches already.

A watch looks at one stretch of time after the other: from the later of the two bodies' last changes or keys to the first of
their next keys. A look gives all contacts of the stretch, each pair of triangles at most once. Which of them are new is a rule
of the motions alone: a pair of triangles is reported when it first touches, and again after it was found apart where a stretch
begins, or when the motion of one of its triangles was changed. Triangles that are in the other body when a body is put where it
is are reported then, once, coming closer or not. Who asks, and when, does not matter.
"""

from __future__ import annotations

from dataclasses import fields
from math import inf
from typing import Any

import numpy as np
from numpy.typing import NDArray

from carom._compile.jit import compiling
from carom.maths.fixed_order import dot, length
from carom.narrow.toi.status import OVERLAPPING
from carom.tolerances import EPSILON
from carom.world.deforming.flightplans import Flightplans, Piece
from carom.world.deforming.proof import passed_over
from carom.world.deforming.rigid import Rigid
from carom.world.deforming.round_search import cuts_through, not_parting, overlaps, search_body
from carom.world.deforming.sights import (
    Side,
    are_faces,
    begin_of,
    end_of,
    faces_of,
    has_changed,
    same_sight,
    saved_sight,
    saved_touches,
    seen_of,
)
from carom.world.deforming.surfaces import Before, SurfaceSearch
from carom.world.deforming.touches import Touches, face_keys
from carom.world.deforming.windows import overlap_windows
from carom.world.saved.fields import Fields

Floats = NDArray[np.float64]

_JUST_BEFORE = 0.01
"""Share of the time since the last look."""
_AT_ONCE = 64.0 * EPSILON
"""Relative to the clock. What changes again so soon has moved nothing: differences of places are rounding."""
_NO_KEYS = np.empty(0, np.int64)


class Watch:
    """One pair: a deforming body, and another body or itself. a has the lower id."""

    def __init__(self, a: Side, b: Side) -> None:
        self.touches = Touches.none()
        self.next = 0
        """Row of the first contact that is not reported yet."""
        self.look_at = inf
        """When to look again though no motion has changed."""
        self.since = inf
        """Local time at which the last look began."""
        self._itself = a is b
        self._sides: tuple[Side, Side] = (a, b)
        self._seen: tuple[tuple[Piece | Rigid, int], ...] = ()
        self._touching = _NO_KEYS
        self._hit = _NO_KEYS
        self._begun = _NO_KEYS
        """Pairs of triangles that were reported because they were in each other from the start; forgotten once time goes on."""
        self._joint: SurfaceSearch | None = None
        self._last: tuple[float, float, Floats, Floats] | None = None
        self._arrived: Before | None = None  # at the begin of _last

    @property
    def time(self) -> float:
        """Local time of the next contact or look."""
        return min(self.contact_time, self.look_at)

    @property
    def contact_time(self) -> float:
        """Local time of the next contact; inf for none until the next look."""
        return float(self.touches.times[self.next]) if self.next < len(self.touches) else inf

    def is_current(self, a: Side, b: Side) -> bool:
        """Was the last look at these very motions?"""
        seen = (seen_of(a), seen_of(b))
        return len(self._seen) == 2 and all(same_sight(now, then) for now, then in zip(seen, self._seen, strict=True))

    def keep_up(self, a: Side, b: Side, appeared: float) -> None:
        """Look anew where a motion is. appeared: local time at which one of the two was last put where it is."""
        if self.is_current(a, b):
            return
        seen = (seen_of(a), seen_of(b))
        begin = max(begin_of(a), begin_of(b), appeared)
        armed = self._armed(a, b, seen)
        self._sides, self._seen = (a, b), seen
        self._look(begin, appeared == begin, armed)

    def look_on(self) -> None:
        """The stretch has ended and no motion has changed."""
        self._look(self.look_at, False, None)

    def passed_over(self, now: float) -> tuple[int, float] | None:
        """A triangle of the deforming body whose contact with the rigid one the last look missed, and an instant at which they
        overlap; None where none is found, or where no side is rigid."""
        a, b = self._sides
        if not (isinstance(a, Rigid) or isinstance(b, Rigid)):
            return None
        until = min(self.look_at, end_of(a), end_of(b))
        own = int(isinstance(a, Rigid))
        held = faces_of(self._touching)
        return passed_over(self._plans(), self._rigid(), self.touches, held, own, self.since, now, until)

    def cuts_through(self, now: float) -> bool:
        """Is a triangle of the deforming body in the rigid one, deeper than a touch, or was just before? Never where no side is
        rigid. Where the body comes out again, features of it touch that had been beyond the triangle."""
        if not any(isinstance(side, Rigid) for side in self._sides):
            return False
        just_before = now - _JUST_BEFORE * (now - self.since)
        return any(cuts_through(self._plans(), self._rigid(), t) for t in (now, just_before))

    def surface_motion(self, k: int) -> tuple[Floats, float]:
        """Velocity (3,) of the deforming body's matter at contact k with a rigid one; rad/s at which its triangle turns."""
        plans, own = self._plans(), int(isinstance(self._sides[0], Rigid))
        corners = plans.faces[self.touches.faces[k, own]]
        shares = self.touches.weights[k, 3 * own : 3 * own + 3]
        speeds, places = plans.piece.velocities[corners], plans.piece.at(float(self.touches.times[k]))[corners]
        edges = np.array([[1, 2, 0], [0, 1, 2]])
        longer, long = (length(each[edges[0]] - each[edges[1]]) for each in (speeds, places))
        turning = np.divide(longer, long, out=np.zeros(3), where=long > 0.0)
        return dot(shares if np.isfinite(shares).all() else np.full(3, 1.0 / 3.0), speeds.T), float(turning.max())

    def shift_time(self, shift: float, a: Side, b: Side) -> None:
        """The world's time origin has moved by `shift` seconds; the last look was at a and b, told in new times."""
        t = self.touches
        self.touches = Touches(t.times - shift, t.faces, t.points, t.normals, t.speeds, t.status, t.weights)
        self.look_at -= shift
        self.since -= shift
        self._sides, self._seen = (a, b), (seen_of(a), seen_of(b))
        if self._last is not None:
            begin, end, start, goal = self._last
            self._last = (begin - shift, end - shift, start, goal)

    # ---- saving

    def saved(self, a: Side, b: Side) -> dict[str, NDArray[Any]]:
        """Everything as arrays. a, b: the two sides as they are now, which the last look may not have seen."""
        arrays: dict[str, NDArray[Any]] = {
            "next": np.array(self.next),
            "look_at": np.array(self.look_at),
            "since": np.array(self.since),
            "touching": self._touching,
            "hit": self._hit,
            "begun": self._begun,
            **{f"touches_{field.name}": getattr(self.touches, field.name) for field in fields(Touches)},
        }
        for k, (now, (then, count)) in enumerate(zip((a, b), self._seen, strict=True)):
            if isinstance(then, Rigid):
                arrays[f"seen_{k}"] = then.state
            else:
                # A piece is told from another by who it is: all that matters is whether it is the present one.
                arrays[f"seen_{k}"] = np.array([count, then is seen_of(now)[0]], np.float64)
        if self._last is not None:
            begin, end, start, goal = self._last
            arrays |= {"last": np.array([begin, end]), "last_start": start, "last_goal": goal}
            if self._arrived is not None:
                arrays["arrived"] = np.stack([self._arrived.places, self._arrived.velocities])
        return arrays

    @classmethod
    def restored(cls, a: Side, b: Side, saved: Fields) -> Watch:
        """The inverse of `saved`."""
        watch = cls(a, b)
        watch.touches = saved_touches(saved, a, b)
        watch.next = int(saved.whole("next", np.int64, (), 0, len(watch.touches)))
        watch.look_at, watch.since = (float(saved.times(name, ())) for name in ("look_at", "since"))
        for name in ("touching", "hit", "begun"):
            keys = saved.array(name, np.int64, (None,))
            saved.require(name, keys, np.asarray(are_faces(faces_of(keys), a, b).all(axis=1)), "a pair of triangles")
            setattr(watch, f"_{name}", keys)
        watch._seen = tuple(saved_sight(saved, f"seen_{k}", side) for k, side in enumerate((a, b)))
        begin = max(begin_of(a), begin_of(b))
        if watch.is_current(a, b) and not watch.look_at >= begin:
            raise saved.wrong("look_at", f" is {watch.look_at}; expected no look before {begin}")
        if "last" in saved:
            first, last = saved.times("last", (2,)).tolist()
            start = saved.numbers("last_start", (None, 4))
            watch._last = (first, last, start, saved.numbers("last_goal", start.shape))
            if "arrived" in saved:
                watch._arrived = Before(*saved.numbers("arrived", (2, *start.shape)))
        return watch

    # ---- looks

    def _armed(self, a: Side, b: Side, seen: tuple[tuple[Piece | Rigid, int], ...]) -> list[NDArray[np.bool_]] | None:
        """Which triangles of either side have a changed motion? None where only keys were passed."""
        if len(self._seen) != 2:
            return None
        changed = [has_changed(now, then) for now, then in zip(seen, self._seen, strict=True)]
        if not any(changed):
            return None
        masks = []
        for side, (_, before), is_changed in zip((a, b), self._seen, changed, strict=True):
            if isinstance(side, Flightplans) and is_changed:
                masks.append(np.append((side.changed_in > before)[side.faces].any(axis=1), False))
            else:
                masks.append(np.array([is_changed]))
        return masks

    def _held(self, armed: list[NDArray[np.bool_]] | None) -> NDArray[np.int64]:
        """Pairs of triangles (k, 2) that touched until now, save those whose motion was changed."""
        keys = np.union1d(self._touching, face_keys(self.touches.faces[: self.next]))
        faces = faces_of(keys)
        if armed is not None and len(faces):
            new = np.zeros(len(faces), np.bool_)
            for column, mask in enumerate(armed):
                new |= mask[0] if len(mask) == 1 else mask[faces[:, column]]
            faces = faces[~new]
        return faces

    def _look(self, begin: float, appeared: bool, armed: list[NDArray[np.bool_]] | None) -> None:
        held = self._held(armed)
        told = self.touches.kept(np.arange(self.next))
        told = told.kept((told.times == begin) & (told.status == OVERLAPPING))
        side = self._side_of_last_contact(begin)
        self._begun = np.union1d(self._begun, face_keys(told.faces)) if appeared else _NO_KEYS
        self.touches, self.next, self.look_at, self.since = Touches.none(), 0, inf, begin
        self._touching = _NO_KEYS
        a, b = self._sides
        if isinstance(a, Rigid) or isinstance(b, Rigid):
            self._look_at_body(begin, appeared, armed is not None, held, side)
        else:
            end = min(a.piece.end, b.piece.end)
            self._look_at_surfaces(begin, end, appeared, armed is not None, held, np.zeros(3))
        self.touches = self.touches.before(min(end_of(a), end_of(b)))

    def _side_of_last_contact(self, begin: float) -> Floats:
        """Direction (3,) from the deforming body to the rigid one of the last reported contact, if at `begin`; else zeros."""
        if self.next == 0 or self.touches.times[self.next - 1] != begin:
            return np.zeros(3)
        return self.touches.normals[self.next - 1] * (-1.0 if isinstance(self._sides[0], Rigid) else 1.0)

    def _look_at_body(self, begin: float, appeared: bool, changed: bool, held: NDArray[np.int64], side: Floats) -> None:
        plans, rigid = self._plans(), self._rigid()
        piece = plans.piece
        end = min(piece.end, rigid.end)
        if rigid.is_plane:
            self._take(plans, rigid, begin, end, appeared, held, side)
            return
        windows = overlap_windows(piece, rigid, begin, end)
        if not windows:
            self._last = None
            return
        first, last = windows[0]
        appeared = appeared and first == begin
        if rigid.is_surface:
            self._look_at_surfaces(begin, end if end < inf else last, appeared, changed, held, side)
            if appeared and rigid.is_solid:
                self.touches = self.touches.with_(self._overlaps(plans, rigid, begin))
        elif not (piece.is_still and rigid.at_rest):
            # However fast the body turns, the clock moves on between two looks.
            cut = min(last, max(first + rigid.stretch, float(np.nextafter(first, inf))))
            self._take(plans, rigid, first, cut, appeared, held, side)
            if cut < last:
                self.look_at = cut
            elif len(windows) > 1:
                self.look_at = windows[1][0]
        elif appeared:
            self.touches = self._overlaps(plans, rigid, begin)

    def _take(
        self,
        plans: Flightplans,
        rigid: Rigid,
        begin: float,
        end: float,
        appeared: bool,
        held: NDArray[np.int64],
        side: Floats,
    ) -> None:
        """Contacts with a body that is tested as a whole."""
        found = search_body(plans, rigid, begin, end, side)
        turned = isinstance(self._sides[0], Rigid)
        own = held[:, 1 if turned else 0]
        still = own[np.isin(own, found.touching)]
        new = found.touches.kept(~np.isin(found.touches.faces[:, 0], still))
        self.touches = new.swapped().ordered() if turned else new
        # What the body's face was is no matter: it is the triangle that touches.
        self._touching = np.unique(face_keys(held[np.isin(own, still)]))
        self._last = None
        if appeared:
            first, column = self._overlaps(plans, rigid, begin), int(turned)
            later = ~np.isin(self.touches.faces[:, column], first.faces[:, column])
            self.touches = self.touches.kept(later).with_(first)

    def _overlaps(self, plans: Flightplans, rigid: Rigid, begin: float) -> Touches:
        """Contacts of triangles that are in the rigid body from the start and of which no contact then is known."""
        found, column = overlaps(plans, rigid, begin), 0
        if isinstance(self._sides[0], Rigid):
            found, column = found.swapped(), 1
        reported = ((self._begun if column else self._begun >> 32) & 0xFFFFFFFF) - 1
        here = self.touches.kept((self.touches.times == begin) & (self.touches.status == OVERLAPPING))
        known = np.concatenate([reported, here.faces[:, column]])
        return found.kept(~np.isin(found.faces[:, column], known)).ordered()

    def _look_at_surfaces(
        self, begin: float, end: float, appeared: bool, changed: bool, held: NDArray[np.int64], side: Floats
    ) -> None:
        search = self._search()
        held = held[(held >= 0).all(axis=1)]
        start = self._vertices(begin)
        with compiling("deforming bodies"):
            goal = self._vertices(end) if end < inf else start
            doubtful = faces_of(_NO_KEYS)
            bounced = False
            hits, begun = search.search(start, goal, appeared)
            # A key that comes at once after a bounce is looked at as the bounce is.
            if (before := self._before(begin, start)) is not None and (changed or before is self._arrived):
                hits, doubtful = search.without_bounces(hits, start, goal, end - begin, before)
                bounced = True
            stay = search.in_touch(start, held)
            neighbours = search.are_neighbours(held)
            stay |= neighbours & np.isin(face_keys(held), self._hit)
            self._touching = np.unique(face_keys(held[stay]))
            found = search.touches(begin, end, start, goal, hits) if len(hits.pairs) else Touches.none()
            self._hit = face_keys(found.faces)
            found = found.kept(~np.isin(self._hit, self._touching))
            if len(begun):
                first = search.begun(begin, start, begun)
                first = first.kept(~np.isin(face_keys(first.faces), self._touching))
                found = found.kept(~np.isin(face_keys(found.faces), face_keys(first.faces)))
                found = found.with_(first.kept(~np.isin(face_keys(first.faces), self._begun)))
        self.touches = self._with_doubtful(found, doubtful, begin, end, side) if bounced else found
        self._last, self._arrived = (begin, end, start, goal), before

    def _with_doubtful(
        self, found: Touches, doubtful: NDArray[np.int64], begin: float, end: float, side: Floats
    ) -> Touches:
        """Contacts where pairs of triangles (k, 2), or others that touch a rigid body, have bounced so slowly that they may
        meet again while they are too near for the exact search, which cannot tell on which side of each other they are: these
        triangles of the deforming body against the rigid one as a whole."""
        if not any(isinstance(each, Rigid) for each in self._sides):
            return found
        plans, rigid, own = self._plans(), self._rigid(), int(isinstance(self._sides[0], Rigid))
        slow = np.union1d(doubtful[:, own], not_parting(plans, rigid, begin, end, side))
        faces = np.setdiff1d(slow, faces_of(self._touching)[:, own])
        if not len(faces):
            return found
        again = search_body(plans, rigid, begin, end, side).touches
        again = again.kept(np.isin(again.faces[:, 0], faces))
        return found.kept(~np.isin(found.faces[:, own], faces)).with_(again.swapped() if own else again)

    def _search(self) -> SurfaceSearch:
        if self._joint is None:
            a, b = self._sides
            if self._itself:
                assert isinstance(a, Flightplans)
                self._joint = SurfaceSearch(a.faces, a.tree, len(a))
            else:
                n_a = len(a) if isinstance(a, Flightplans) else len(a.vertices(a.begin))
                self._joint = SurfaceSearch(a.faces, a.tree, n_a, b.faces, b.tree)
        return self._joint

    def _vertices(self, t: float) -> Floats:
        """Vertices (n, 4) of both sides at local time t, joined: x, y, z and 0."""
        places = [side.piece.at(t) if isinstance(side, Flightplans) else side.vertices(t) for side in self._sides]
        joined = places[0] if self._itself else np.concatenate(places)
        rows = np.zeros((len(joined), 4))
        rows[:, :3] = joined
        return rows

    def _before(self, t: float, start: Floats) -> Before | None:
        """How things moved up to t, None where no look says."""
        if self._last is None:
            return None
        begin, end, first, last = self._last
        if not begin <= t <= end or len(first) != len(start):
            return None
        if self._arrived is not None and t - begin <= _AT_ONCE * abs(t):
            return self._arrived
        if end == inf:
            return Before(first, np.zeros_like(first))
        share = (t - begin) / (end - begin)
        return Before((1.0 - share) * first + share * last, (last - first) / (end - begin))

    def _plans(self) -> Flightplans:
        a, b = self._sides
        plans = a if isinstance(a, Flightplans) else b
        assert isinstance(plans, Flightplans)
        return plans

    def _rigid(self) -> Rigid:
        a, b = self._sides
        rigid = a if isinstance(a, Rigid) else b
        assert isinstance(rigid, Rigid)
        return rigid
