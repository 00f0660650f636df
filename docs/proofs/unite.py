#!/usr/bin/env python3
"""A model of draft 04's rules for several sessions (decision 33): invitations, answers, several links, UNITE and ENTER.

    unite.py                     every world below, exhaustively, then 2,000 random ones
    unite.py --seeds 20000       as many random worlds
    unite.py --skip-small        no small worlds
    unite.py --broken            each broken variant: the model has to find its fault

A world has peers, links with one queue of frames in each direction, and apps that say yes or no at any time. Frames of one queue keep
their order; everything else happens in any order. The model leaves out bytes, time, signatures and the exchange of rosters: members
that have a link in one session know the same members. Only the standard library is needed.
"""
import argparse
import itertools
import random
import sys
from collections import Counter

INVITING, ASKED, AGREED, READY, OPEN, OVER, NEW = "inviting", "asked", "agreed", "ready", "open", "over", "new"
FULL = 8  # admissions in the longest chain; random worlds have 3, 4 or 8

# Each name is a rule of the decision; the variant of that name leaves the rule out.
BROKEN = {
    "merge": "an own INVITE counts as the answer to the peer's, as in draft 03",
    "busy": "a peer with members declines, as in draft 03",
    "controller": "both peers send READY on every link",
    "newer": "an INVITE does not end an earlier one of its sender",
    "hold": "a second INVITE is answered while the first link to its sender is open",
    "lesser": "some members take the greatest session, and not the least",
    "stay": "a member that follows forgets the session that it comes from",
    "pass": "a member that follows tells only the link on which it heard",
    "each": "a member sends UNITE once for each peer, and not for each link",
    "group": "what was declined counts in one session only",
    "look": "a link that opens unasked is not looked at again",
    "reply": "ENTER has no answer",
    "shorten": "a full chain is never shortened",
    "known": "a member that has an entry in the lesser session is not admitted again",
}


class Fault(Exception):
    """A rule that must always hold does not."""


class Peer:
    __slots__ = ("own", "mem", "ros", "no", "yes", "todo", "refused", "left")

    def __init__(self, own, todo):
        self.own, self.todo, self.left = own, frozenset(todo), False
        self.mem, self.ros = {}, {}  # session: length of the own chain; session: the other members
        self.no, self.yes, self.refused = frozenset(), frozenset(), frozenset()

    def copy(self):
        other = Peer.__new__(Peer)
        other.own, other.todo, other.left = self.own, self.todo, self.left
        other.mem, other.ros = dict(self.mem), dict(self.ros)
        other.no, other.yes, other.refused = self.no, self.yes, self.refused
        return other

    def key(self):
        sets = (sorted(self.no, key=str), sorted(self.yes), sorted(self.todo), sorted(self.refused))
        ros = sorted((s, tuple(sorted(m))) for s, m in self.ros.items())
        return str((self.own, self.left, sorted(self.mem.items()), ros, sets))


class Link:
    """What belongs to an end has the peer's number as its key."""

    __slots__ = ("ends", "st", "inv", "who", "got", "out", "into", "sent", "q", "lost")

    def __init__(self, a, b):
        self.ends, self.lost = (a, b), False
        self.st, self.inv, self.got = {a: NEW, b: NEW}, {a: None, b: None}, {a: False, b: False}
        self.who = {a: None, b: None}  # (inviter, session, kind), once one INVITE counts
        self.out, self.into, self.sent = {a: None, b: None}, {a: None, b: None}, {a: frozenset(), b: frozenset()}
        self.q = {a: (), b: ()}

    def copy(self):
        other = Link.__new__(Link)
        other.ends, other.lost = self.ends, self.lost
        for name in ("st", "inv", "who", "got", "out", "into", "sent", "q"):
            setattr(other, name, dict(getattr(self, name)))
        return other

    def key(self):
        a, b = self.ends
        return str((a, b, self.lost, *[(d[a], d[b]) for d in (self.st, self.inv, self.who, self.got, self.out, self.into, self.q)],
                    sorted(self.sent[a], key=str), sorted(self.sent[b], key=str)))

    def other(self, u):
        return self.ends[1] if self.ends[0] == u else self.ends[0]


class World:
    def __init__(self, count, wants, yes, own, broken=(), full=FULL, losses=0, crashes=0, restarts=0, crossing=True, policy=()):
        self.wants, self.says, self.broken, self.full = wants, yes, frozenset(broken), full
        self.crossing, self.policy = crossing, frozenset(policy)  # policy: peers that never follow
        self.peers = [Peer(own[u], wants.get(u, ())) for u in range(count)]
        self.links, self.losses, self.crashes, self.restarts = [], losses, crashes, restarts
        self.told = frozenset()  # only for the variant "each"
        self.next = max(own) + 1
        self.follows, self.faulty = Counter(), False

    def copy(self):
        other = World.__new__(World)
        for name in ("wants", "says", "broken", "full", "crossing", "policy", "losses", "crashes", "restarts", "told", "next", "faulty"):
            setattr(other, name, getattr(self, name))
        other.peers, other.links = [p.copy() for p in self.peers], [l.copy() for l in self.links]
        other.follows = Counter(self.follows)
        return other

    def key(self):
        return "|".join([p.key() for p in self.peers] + sorted(l.key() for l in self.links)
                        + [str((self.losses, self.crashes, self.restarts, sorted(self.told)))])

    # What a peer knows

    def at(self, u, v=None):
        return [l for l in self.links if u in l.ends and l.st[u] != OVER and (v is None or v in l.ends)]

    def home(self, u):
        """The least session of the group in which there is another member."""
        p = self.peers[u]
        linked = {l.out[u] for l in self.at(u) if l.st[u] == OPEN}
        least = max if "lesser" in self.broken and u % 2 else min
        return least((s for s in p.mem if p.ros.get(s) or s in linked), default=None)

    def admits(self, u, s):
        return self.peers[u].mem.get(s, self.full) < self.full

    # What may happen next

    def actions(self):
        found = []
        for n, l in enumerate(self.links):
            for u in l.ends:
                if l.q[u] and not l.lost:
                    found.append(("deliver", n, u))
                gone = l.st[l.other(u)] == OVER and not l.q[u]
                if l.st[u] != OVER and (l.lost or gone):
                    found.append(("notice", n, u))
                if l.st[u] == AGREED and self.may_ready(u, l):
                    found.append(("ready", n, u))
                if self.losses and not l.lost and l.ends[0] == u and OVER not in l.st.values():
                    found.append(("lose", n, u))
        for u, p in enumerate(self.peers):
            if p.left:
                continue
            for v in sorted(p.todo):
                if any(l.st[u] in (INVITING, AGREED, READY, OPEN) for l in self.at(u, v)):
                    continue
                found.append(("invite", u, v))
                if self.crossing:
                    found += [("cross", n, u) for n, l in enumerate(self.links) if u in l.ends and v in l.ends and l.st[u] == NEW]
            for v in sorted({l.other(u) for l in self.at(u) if self.is_question(u, l)}):
                found.append(("answer", u, v))
            if self.crashes:
                found.append(("crash", u, 0))
            if self.restarts:
                found.append(("restart", u, 0))
            for v in sorted({v for s in p.mem for v in p.ros.get(s, ())}):
                # Not while the app is asked about it (R14.9-3).
                if v not in p.no | p.refused and not self.at(u, v):
                    found.append(("dial", u, v))
        return found

    def may_ready(self, u, l):
        v = l.other(u)
        if u > v or "controller" in self.broken:
            return True
        return not any(m is not l and m.st[u] in (READY, OPEN) for m in self.at(u, v))

    def is_question(self, u, l):
        """Whether the app is asked: not while there is an open link, and not what it has agreed to."""
        if l.st[u] != ASKED:
            return False
        v = l.other(u)
        if "hold" not in self.broken and any(m.st[u] == OPEN for m in self.at(u, v)):
            return False
        return True

    # Steps

    def apply(self, action):
        name, a, b = action
        getattr(self, "do_" + name)(a, b)
        self.settle()
        self.check()

    def do_invite(self, u, v, link=None):
        p = self.peers[u]
        s = next((t for t in sorted(p.mem) if t >= (self.home(u) or 0) and self.admits(u, t) and p.ros.get(t)), p.own)
        if s == p.own:
            p.mem.setdefault(s, 0)
        if link is None:
            link = Link(u, v)
            self.links.append(link)
        link.st[u], link.inv[u] = INVITING, (s, 0)
        link.q[v] += (("I", s, 0),)

    def do_cross(self, n, u):
        self.do_invite(u, self.links[n].other(u), self.links[n])

    def do_dial(self, u, v):
        p = self.peers[u]
        s = min(s for s in p.mem if v in p.ros.get(s, ()))
        l = Link(u, v)
        self.links.append(l)
        l.st[u], l.inv[u] = INVITING, (s, 2)
        l.q[v] += (("I", s, 2),)

    def do_answer(self, u, v):
        p = self.peers[u]
        yes = u in self.says.get(v, ())  # the app of u says yes to v
        links = [l for l in self.at(u, v) if l.st[u] == ASKED]
        if yes:
            p.yes, p.no = p.yes | {v}, frozenset(x for x in p.no if x != v and not (isinstance(x, tuple) and x[0] == v))
        else:
            p.no |= {v} if "group" not in self.broken else {(v, l.who[u][1]) for l in links}
        for l in links:
            self.accept(u, l) if yes else self.decline(u, l, "no")

    def do_ready(self, n, u):
        l = self.links[n]
        l.st[u] = READY
        l.q[l.other(u)] += (("R",),)
        if l.got[u]:
            self.open(u, l)

    def do_notice(self, n, u):
        """A link has ended without CLOSE. A peer that is in no roster yet cannot be dialled, and is invited again."""
        l, p = self.links[n], self.peers[u]
        v = l.other(u)
        if l.st[u] == OPEN and v in self.wants.get(u, ()) and not any(v in m for m in p.ros.values()):
            p.todo |= {v}
        l.st[u] = OVER

    def do_lose(self, n, _):
        l = self.links[n]
        self.losses -= 1
        self.faulty = True
        l.lost, l.q = True, {u: () for u in l.ends}

    def do_crash(self, u, _):
        """The process begins anew, without memory. Its app wants the same again."""
        self.crashes -= 1
        self.faulty = True
        self.peers[u] = Peer(self.next, self.wants.get(u, ()))
        self.next += 1
        self.drop_links(u)

    def do_restart(self, u, _):
        """The process begins anew with what was kept (decision 17): sessions, and what was declined."""
        self.restarts -= 1
        self.faulty = True
        self.drop_links(u)
        p = self.peers[u]
        known = set().union(*p.ros.values())
        p.todo |= {v for v in self.wants.get(u, ()) if v not in known | p.refused}

    def drop_links(self, u):
        for l in self.at(u):
            l.st[u], l.lost, l.q = OVER, True, {v: () for v in l.ends}

    def do_deliver(self, n, u):
        l = self.links[n]
        frame, l.q[u] = l.q[u][0], l.q[u][1:]
        if l.st[u] != OVER:
            getattr(self, "take_" + frame[0])(u, l, *frame[1:])

    # Frames

    def take_I(self, u, l, s, kind):
        v = l.other(u)
        if l.inv[u] is not None:  # they cross: the lesser session wins, and of equal ones the lesser key
            if (l.inv[u][0], u) < (s, v):
                return
            l.inv[u] = None
        l.st[u], l.who[u] = ASKED, (v, s, kind)
        if "newer" not in self.broken:  # its sender has given up what it invited to before
            for m in self.at(u, v):
                if m is not l and m.st[u] in (ASKED, AGREED, READY) and m.who[u][0] == v:
                    self.close(u, m)

    def take_A(self, u, l):
        if l.st[u] == INVITING:
            l.st[u], l.who[u] = AGREED, (u, *l.inv[u])

    def take_D(self, u, l, why):
        v, p = l.other(u), self.peers[u]
        s, kind = l.inv[u] or l.who[u][1:]
        l.st[u] = OVER
        if why == "unknown":  # it has lost its memory: it is not dialled any more, and invited anew if the app wants it
            p.refused |= {v}
            if v in self.wants.get(u, ()):
                p.todo |= {v}
        elif why == "no":
            p.refused |= {v}
            if kind == 0:
                p.todo -= {v}

    def take_R(self, u, l):
        l.got[u] = True
        if l.st[u] == READY:
            self.open(u, l)

    def take_X(self, u, l, why):
        if why == "duplicate" and l.st[u] == OPEN and not self.faulty:
            raise Fault("an open link is given up though nothing was lost")
        l.st[u] = OVER

    def take_M(self, u, l, s, chain):
        p = self.peers[u]
        p.mem[s] = min(chain, p.mem.get(s, chain))

    def take_U(self, u, l, s, chain, admits):
        v, p = l.other(u), self.peers[u]
        if (s > l.into[u] or s == l.into[u] and not admits) and "lesser" not in self.broken:
            raise Fault("UNITE to a session that is not lesser")
        home = self.home(u)
        if s in p.mem:
            if admits and chain + 1 < p.mem[s]:
                p.mem[s] = chain + 1
        elif admits and u not in self.policy and (home is None or s < home):
            p.mem[s] = chain + 1
            p.ros[s] = frozenset([v])
            self.follows[u] += 1
            if "pass" in self.broken:
                for m in self.at(u):
                    m.sent[u] |= {s}
        if s == self.home(u) and s < l.out[u]:
            before, l.out[u] = l.out[u], s
            l.q[v] += (("N", s),)
            if "stay" in self.broken:
                p.mem.pop(before, None)
                p.ros.pop(before, None)

    def take_N(self, u, l, s):
        if s not in self.peers[u].mem or s >= l.into[u]:
            raise Fault("ENTER of a session that its receiver is not in")
        l.into[u] = s
        if s < l.out[u] and "reply" not in self.broken:
            l.out[u] = s
            l.q[l.other(u)] += (("N", s),)

    # Links

    def accept(self, u, l):
        s, kind = l.who[u][1:]
        home = self.home(u)
        if "busy" in self.broken and kind == 0 and home is not None and home != s and self.peers[u].ros.get(home):
            return self.decline(u, l, "no")
        l.st[u] = AGREED
        l.q[l.other(u)] += (("A",),)

    def decline(self, u, l, why):
        l.st[u] = OVER
        l.q[l.other(u)] += (("D", why),)

    def close(self, u, l, why="duplicate"):
        l.st[u] = OVER
        l.q[l.other(u)] += (("X", why),)

    def has_declined(self, u, v, s):
        no = self.peers[u].no
        return v in no or (v, s) in no

    def open(self, u, l):
        v, p = l.other(u), self.peers[u]
        inviter, s, kind = l.who[u]
        invited = inviter == u and kind == 0
        if not invited and self.has_declined(u, v, s) and "look" not in self.broken:
            return self.close(u, l, "declined")
        if invited:
            p.no, p.refused = p.no - {v}, p.refused - {v}
        l.st[u], l.out[u], l.into[u] = OPEN, s, s
        p.todo, p.refused = p.todo - {v}, p.refused - {v}
        if invited and s in p.mem:
            l.q[v] += (("M", s, p.mem[s] + 1),)
        for m in self.at(u, v):
            # The peer with the lesser key decides. The other one closes what only it can know to be needless, and what it had before.
            if m is not l and (u < v or m.st[u] in (INVITING, OPEN)):
                self.close(u, m)

    def settle(self):
        """What a node does at once."""
        while self.pass_once():
            pass
        self.links = [l for l in self.links if not all(l.st[u] == OVER and (l.lost or not l.q[u]) for u in l.ends)]

    def pass_once(self):
        for u, p in enumerate(self.peers):
            for l in self.at(u):
                v = l.other(u)
                if l.st[u] == ASKED and self.settle_invitation(u, v, l):
                    return True
                if l.st[u] == OPEN and self.send_unite(u, v, l):
                    return True
        for l in self.links:
            a, b = l.ends
            if l.lost or not l.st[a] == l.st[b] == OPEN:
                continue
            s = l.out[a]
            if not (s == l.into[b] == l.out[b] == l.into[a] and s in self.peers[a].mem and s in self.peers[b].mem):
                continue
            one, two = self.peers[a].ros.get(s, frozenset()) - {b}, self.peers[b].ros.get(s, frozenset()) - {a}
            both = one | two
            for u, v in ((a, b), (b, a)):
                new = both - {u} | {v}
                if self.peers[u].ros.get(s) != new:
                    self.peers[u].ros[s] = new
                    return True
        return False

    def settle_invitation(self, u, v, l):
        p, (_, s, kind) = self.peers[u], l.who[u]
        if "hold" not in self.broken and any(m.st[u] == OPEN for m in self.at(u, v)):
            return False  # held: the older link is probed
        if kind == 2 and s not in p.mem:
            self.decline(u, l, "unknown")
        elif kind == 2 and not self.has_declined(u, v, s) and not any(
                m is not l and m.st[u] == ASKED and m.who[u][2] == 0 and v not in p.yes for m in self.at(u, v)):
            self.accept(u, l)
        elif kind == 0 and v in p.yes:
            self.accept(u, l)
        elif kind == 0 and "merge" in self.broken and (v in p.todo or any(m.st[u] == INVITING for m in self.at(u, v))):
            self.accept(u, l)
        else:
            return False
        return True

    def send_unite(self, u, v, l):
        p, home = self.peers[u], self.home(u)
        if home is not None and home < l.out[u] and home not in l.sent[u]:  # not yet with an admission
            if "each" in self.broken and (u, v, home) in self.told:
                return False
            # One that is known may have lost its memory, so it is admitted all the same.
            known, admits = v in p.ros.get(home, ()), self.admits(u, home)
            if admits or known and ("bare", home) not in l.sent[u]:
                self.told |= {(u, v, home)}
                l.sent[u] |= {home if admits else ("bare", home)}
                l.q[v] += (("U", home, p.mem[home], admits and not (known and "known" in self.broken)),)
                return True
        # A neighbour whose chain is full gets a shorter one.
        s = l.out[u]
        if s == l.into[u] and v in p.ros.get(s, ()) and ("short", s) not in l.sent[u] and "shorten" not in self.broken:
            if self.peers[v].mem.get(s) == self.full and p.mem.get(s, FULL) <= self.full - 2:
                l.sent[u] |= {("short", s)}
                l.q[v] += (("U", s, p.mem[s], True),)
                return True
        return False

    # What must hold

    def check(self):
        for u, p in enumerate(self.peers):
            peers = Counter(l.other(u) for l in self.links if u in l.ends and l.st[u] == OPEN)
            if any(count > 1 for count in peers.values()):
                raise Fault("two open links to one peer")
            for v in peers:
                if u not in self.says.get(v, ()) and v not in self.says.get(u, ()) and v in self.wants.get(u, ()) and u in self.wants.get(v, ()):
                    raise Fault("two apps that both decline are connected")
                if self.has_declined(u, v, None) or any(isinstance(x, tuple) and x[0] == v for x in p.no):
                    raise Fault("connected with a peer that was declined last")

    def check_end(self):
        """Nothing more happens by itself: consents that form one component have led to one session."""
        homes = [self.home(u) for u in range(len(self.peers))]
        for u, v in itertools.permutations(range(len(self.peers)), 2):
            if v in self.wants.get(u, ()) and v in self.says.get(u, ()) and homes[u] != homes[v]:
                if not {u, v} & self.policy and not self.has_declined(u, v, None):  # an app may decline after it has invited
                    raise Fault("two that agreed are in different sessions")
            if homes[u] is None or homes[u] != homes[v] or u > v:
                continue
            one, two = self.peers[u], self.peers[v]
            if v in one.no | one.refused or u in two.no | two.refused:
                continue
            links = [l for l in self.at(u, v) if l.st[u] == l.st[v] == OPEN and not l.lost]
            if len(links) != 1:
                raise Fault("two members are not connected")
            if {*links[0].out.values(), *links[0].into.values()} != {homes[u]}:
                raise Fault("a link is left in another session")


def explore(world, limit=3_000_000):
    """All states of a world. Returns how many there are, and how many are ends."""
    world.settle()
    seen, stack, ends, edges = {world.key(): 0}, [world], 0, []
    terminal = set()
    while stack:
        w = stack.pop()
        k = seen[w.key()]
        actions = w.actions()
        forced = [a for a in actions if a[0] not in ("lose", "crash", "restart")]
        if not forced:
            w.check_end()
            ends += 1
            terminal.add(k)
        for action in actions:
            other = w.copy()
            other.apply(action)
            key = other.key()
            if key not in seen:
                if len(seen) >= limit:
                    raise SystemExit(f"more than {limit} states")
                seen[key] = len(seen)
                stack.append(other)
            edges.append((k, seen[key]))
    # No schedule continues for ever, but for one that loses both of two links again and again: an end is reachable from everywhere.
    back = {}
    for one, two in edges:
        back.setdefault(two, []).append(one)
    reach, todo = set(terminal), list(terminal)
    while todo:
        for one in back.get(todo.pop(), ()):
            if one not in reach:
                reach.add(one)
                todo.append(one)
    if len(reach) != len(seen):
        raise Fault("a state from which no end can be reached")
    return len(seen), ends


def pairs(*edges):
    table = {}
    for u, v in edges:
        table.setdefault(u, set()).add(v)
    return {u: frozenset(v) for u, v in table.items()}


def worlds(broken=()):
    """Small worlds that are visited whole. `wants[u]` is whom u invites; `says[u]` who says yes to u."""
    for own in ((0, 1), (1, 0)):
        for one, two in itertools.product((False, True), repeat=2):
            both = pairs((0, 1), (1, 0))
            says = pairs(*([(0, 1)] if one else []), *([(1, 0)] if two else []))
            yield f"two that invite each other, {own} {one:d}{two:d}", World(2, both, says, own, broken)
    both = pairs((0, 1), (1, 0))
    for own in ((0, 1), (1, 0)):
        for fault in ("losses", "crashes", "restarts"):
            wants = pairs((own[0], own[1])) if fault == "crashes" else both
            yield f"the same with {fault}, {own}", World(2, wants, both, own, broken, crossing=False, **{fault: 1})
    for own in itertools.permutations(range(3)):
        chain = pairs((0, 1), (1, 2))
        yield f"a chain of three, {own}", World(3, chain, chain, own, broken, crossing=False)
    for own in itertools.permutations(range(3)):
        ring = pairs((0, 1), (1, 2), (2, 0))
        says = pairs((0, 1), (1, 2))
        yield f"a ring of three, one declines, {own}", World(3, ring, says, own, broken, crossing=False)
    for own in ((0, 1, 2), (2, 1, 0)):
        star = pairs((0, 1), (2, 1))
        yield f"one is invited by two, a loss, {own}", World(3, star, star, own, broken, crossing=False, losses=1)


def random_world(seed, broken=(), faults=True):
    chance = random.Random(seed)
    count = chance.randint(2, 12)
    density, kind = chance.choice((0.2, 0.5, 1.0)), chance.choice((0.6, 0.9, 1.0))
    wants = pairs(*[(u, v) for u, v in itertools.permutations(range(count), 2) if chance.random() < density])
    says = {u: frozenset(v for v in range(count) if chance.random() < kind) for u in range(count)}
    own = list(range(count))
    chance.shuffle(own)
    full = chance.choice((3, 4, 8))
    number = chance.randint(0, 4) if faults else 0
    return World(count, wants, says, [100 * s for s in own], broken, full, crossing=chance.random() < 0.5,
                 losses=number, crashes=chance.randint(0, 2) if faults else 0, restarts=chance.randint(0, 2) if faults else 0), chance


def run(seed, broken=(), faults=True, limit=200_000):
    world, chance = random_world(seed, broken, faults)
    world.settle()
    for step in range(limit):
        actions = world.actions()
        forced = [a for a in actions if a[0] not in ("lose", "crash", "restart")]
        if not forced:
            world.check_end()
            return step, max(world.follows.values(), default=0), len(world.peers)
        rare = [a for a in actions if a not in forced]
        world.apply(chance.choice(rare) if rare and chance.random() < 0.03 else chance.choice(forced))
    raise Fault(f"no end after {limit:,} steps")


def main():
    options = argparse.ArgumentParser()
    options.add_argument("--seeds", type=int, default=1000)
    options.add_argument("--broken", action="store_true")
    options.add_argument("--skip-small", action="store_true")
    given = options.parse_args()
    if given.broken:
        missed = 0
        for name, what in BROKEN.items():
            found = broken_variant(name)
            missed += found is None
            print(f"{name:11} {what}: {found or 'NOT FOUND'}", flush=True)
        sys.exit(missed)
    total = 0
    if not given.skip_small:
        for name, world in worlds():
            states, ends = explore(world)
            total += states
            print(f"{states:8} states, {ends:4} ends: {name}", flush=True)
    steps = most = 0
    for seed in range(given.seeds):
        try:
            count, follows, _ = run(seed)
        except Fault as fault:
            print(f"seed {seed}: {fault}", flush=True)
            raise
        steps, most = steps + count, max(most, follows)
    print(f"{total} states of small worlds; {given.seeds} random worlds, {steps} steps, a peer follows at most {most} times")


def broken_variant(name):
    """Where the variant fails: in a small world, else in a random one."""
    for seed in itertools.chain(range(250), range(480, 500)):
        try:
            run(seed, (name,), limit=30_000)
        except Fault as fault:
            return f"{fault} (seed {seed})"
    for label, world in reversed(list(worlds((name,)))):
        try:
            explore(world)
        except Fault as fault:
            return f"{fault} ({label})"
    return None


if __name__ == "__main__":
    main()
