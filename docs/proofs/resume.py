#!/usr/bin/env python3
"""A model of RESUME and RESUMED (SPEC §13.9): two peers, one association, and links that break, cross and are late.

    resume.py                 every schedule of the small worlds
    resume.py --broken        each broken variant: the model has to find its fault

Each peer sends counted frames. Links have one queue of frames in each direction, which keeps its order; everything else happens in any order: a
link breaks with what is on its way, each peer notices that when it likes, and either makes a new link, also both at once. The model leaves out
bytes, proofs, credit, files and the grace time. Peer 0 is the controller.

No counted frame may come twice, be left out or be out of order; no honest peer may call the other's count or epoch malformed; and from each state
the two come to an open link, with all frames processed, once nothing breaks any more: by whoever tries, and if both try at once. The epoch is
there, and no variant without it fails: a RESUME that is late costs a link, and no more. Only the standard library is needed.
"""
import argparse
import sys

# Each name is a rule of SPEC §13.9; the variant of that name leaves the rule out.
BROKEN = {
    "close": "CLOSE shows that RESUMED has come, too",
    "controller": "the controller answers while its own RESUME waits (R13.9-7)",
    "old": "a peer that sends RESUME or RESUMED still processes what comes on other links (R13.9-4)",
    "late": "a RESUME that states less than was acknowledged since is malformed, and not old (R13.9-5)",
    "keep": "what was sent once is not sent again (R13.9-8)",
    "count": "RESUME states what ACK has said last, and not what was processed",
}
# Messages of each peer, and links beside the first one.
WORLDS = [(1, 0, 2), (1, 1, 2), (2, 1, 2), (1, 0, 3), (1, 1, 3)]
FRESH, RESUMING, OPEN, OVER = range(4)
NOBODY = -1


class Fault(Exception):
    """A rule that must always hold does not."""


class Peer:
    __slots__ = ("epoch", "shown", "sent", "acked", "processed", "told", "newest", "waits")

    def __init__(self):
        # Own epoch, and the greatest that the other peer has shown.
        self.epoch = self.shown = 0
        # Counted frames: sent; known to be processed by the other peer; processed; told by ACK.
        self.sent = self.acked = self.processed = self.told = 0
        # The link that is read, and the one on which RESUME waits for its answer.
        self.newest, self.waits = 0, NOBODY

    def copy(self):
        other = Peer.__new__(Peer)
        for name in Peer.__slots__:
            setattr(other, name, getattr(self, name))
        return other

    def key(self):
        return tuple(getattr(self, name) for name in Peer.__slots__)


class Link:
    __slots__ = ("maker", "state", "queue", "cut", "resume", "unshown")

    def __init__(self, maker, state):
        self.maker, self.state, self.cut = maker, [state, state], False
        # What is on its way to each peer; the epoch of RESUME; what a frame of an open link from the other peer shows.
        self.queue, self.resume, self.unshown = [(), ()], 0, [None, None]

    def copy(self):
        other = Link.__new__(Link)
        other.maker, other.state, other.cut = self.maker, list(self.state), self.cut
        other.queue, other.resume, other.unshown = list(self.queue), self.resume, list(self.unshown)
        return other

    def key(self):
        return (self.maker, *self.state, self.cut, *self.queue, self.resume, *self.unshown)


class World:
    def __init__(self, counts, spare, broken):
        self.counts, self.spare, self.broken = counts, spare, broken
        self.peers, self.links = [Peer(), Peer()], [Link(0, OPEN)]

    def copy(self):
        other = World.__new__(World)
        other.counts, other.spare, other.broken = self.counts, self.spare, self.broken
        other.peers, other.links = [peer.copy() for peer in self.peers], [link.copy() for link in self.links]
        return other

    def key(self):
        return (self.spare, *(peer.key() for peer in self.peers), *(link.key() for link in self.links))

    # What can happen

    def steps(self, breaks=True):
        for number, link in enumerate(self.links):
            for to in (0, 1):
                if link.queue[to] and not link.cut:
                    yield ("deliver", number, to)
                if link.cut and link.state[to] != OVER:
                    yield ("notice", number, to)
            if breaks and not link.cut and link.state != [OVER, OVER]:
                yield ("break", number, NOBODY)
        for who, peer in enumerate(self.peers):
            if peer.newest == NOBODY and self.spare:
                yield ("dial", NOBODY, who)
            if peer.newest != NOBODY and self.links[peer.newest].state[who] == OPEN:
                if peer.sent < self.counts[who]:
                    yield ("send", peer.newest, who)
                if peer.told < peer.processed:
                    yield ("ack", peer.newest, who)

    def perform(self, step):
        what, number, who = step
        link = self.links[number] if number != NOBODY else None
        if what == "deliver":
            frame, link.queue[who] = link.queue[who][0], link.queue[who][1:]
            self.take(frame, number, who)
        elif what == "notice":
            self.end(number, who)
        elif what == "break":
            link.cut, link.queue = True, [(), ()]
        elif what == "dial":
            self.dial(who)
        elif what == "send":
            self.peers[who].sent += 1
            self.put(number, who, ("frame", self.peers[who].sent))
        else:
            self.peers[who].told = self.peers[who].processed
            self.put(number, who, ("ack", self.peers[who].told))

    def put(self, number, who, *frames):
        link = self.links[number]
        if not link.cut:
            link.queue[1 - who] += frames

    def end(self, number, who):
        link, peer = self.links[number], self.peers[who]
        link.state[who] = OVER
        if peer.waits == number:
            peer.waits = NOBODY
        if peer.newest == number:
            peer.newest = NOBODY

    def move(self, who, number):
        """RESUME or RESUMED goes out on a link: the others are closed."""
        for other, link in enumerate(self.links):
            if other != number and link.state[who] in (RESUMING, OPEN):
                self.put(other, who, ("moved",))
                if "old" not in self.broken:
                    link.state[who] = OVER
                if self.peers[who].waits == other:
                    self.peers[who].waits = NOBODY
        self.peers[who].newest = number

    def stated(self, who):
        return self.peers[who].told if "count" in self.broken else self.peers[who].processed

    def dial(self, who):
        self.spare -= 1
        self.links.append(Link(who, FRESH))
        number, peer = len(self.links) - 1, self.peers[who]
        link = self.links[number]
        link.state[who], link.resume = RESUMING, peer.epoch
        self.move(who, number)
        peer.waits = number
        self.put(number, who, ("resume", peer.epoch, self.stated(who)))

    # What comes

    def take(self, frame, number, who):
        link, peer, kind = self.links[number], self.peers[who], frame[0]
        state = link.state[who]
        if state == OVER:
            return
        if kind == "resume":
            return self.resume(frame, number, who)
        if kind in ("moved", "duplicate"):
            if "close" in self.broken:
                self.show(link, who)
            return self.end(number, who)
        if kind == "resumed":
            if state != RESUMING:
                raise Fault("RESUMED where no RESUME waits")
            peer.waits = NOBODY
            peer.epoch = peer.shown = link.resume + 1
            return self.open(number, who, frame[1])
        if state != OPEN:
            raise Fault(f"{kind} on a link that is not open")
        self.show(link, who)
        if kind == "ack":
            if frame[1] > peer.sent:
                raise Fault("ACK counts what was not sent")
            peer.acked = max(peer.acked, frame[1])
        elif frame[1] != peer.processed + 1:
            raise Fault(f"frame {frame[1]} comes after {peer.processed} were processed")
        else:
            peer.processed += 1

    def show(self, link, who):
        if link.unshown[who] is not None:
            self.peers[who].shown = max(self.peers[who].shown, link.unshown[who])
            link.unshown[who] = None

    def resume(self, frame, number, who):
        _, epoch, received = frame
        link, peer = self.links[number], self.peers[who]
        if epoch > peer.epoch + 1:
            raise Fault(f"epoch {epoch} at a peer that has {peer.epoch}")
        isOld = epoch < peer.shown
        peer.shown = max(peer.shown, epoch)
        # A RESUME can have the epoch that its sender has shown since, and be older than what it has acknowledged since.
        isOld = isOld or received < peer.acked and "late" not in self.broken
        isCrossing = who == 0 and peer.waits != NOBODY and "controller" not in self.broken
        if isOld or isCrossing:
            self.put(number, who, ("duplicate",))
            link.state[who] = OVER
            return
        self.move(who, number)
        peer.waits = NOBODY
        peer.epoch, link.unshown[who] = epoch + 1, epoch + 1
        self.put(number, who, ("resumed", self.stated(who)))
        self.open(number, who, received)

    def open(self, number, who, received):
        peer = self.peers[who]
        if not peer.acked <= received <= peer.sent:
            raise Fault(f"{received} were received, of {peer.sent} that were sent and {peer.acked} acknowledged")
        self.links[number].state[who] = OPEN
        peer.acked = received
        # ACK goes on from what RESUME or RESUMED has stated.
        peer.told = self.stated(who)
        if "keep" not in self.broken:
            self.put(number, who, *(("frame", count) for count in range(received + 1, peer.sent + 1)))

    # The end

    def is_settled(self):
        peers = self.peers
        number = peers[0].newest
        return (
            number == peers[1].newest != NOBODY
            and self.links[number].state == [OPEN, OPEN]
            and not self.links[number].cut
            and all(peers[who].sent == self.counts[who] == peers[1 - who].processed for who in (0, 1))
        )

    def settles(self, dialling):
        """Whether the two come together once nothing breaks any more, and these try again: both of them at the same moment."""
        world = self.copy()
        world.spare = 12
        for _ in range(200):
            if world.is_settled():
                return True
            steps = list(world.steps(breaks=False))
            # In rounds: what is there is noticed and delivered, one frame on each way, before anybody does anything new.
            now = [step for step in steps if step[0] == "notice"] or [step for step in steps if step[0] == "deliver"]
            now = now or [step for step in steps if step[0] in ("send", "ack") or step[0] == "dial" and step[2] in dialling]
            if not now:
                return False
            for step in now:
                if step in set(world.steps(breaks=False)):
                    world.perform(step)
        return False


def explore(counts, spare, broken):
    """All schedules. Returns how many states there are."""
    start = World(counts, spare, broken)
    seen, waiting = {start.key()}, [start]
    while waiting:
        world = waiting.pop()
        for dialling in ((0,), (1,), (0, 1)):
            if not world.settles(dialling):
                raise Fault(f"they never come together again if {' and '.join(map(str, dialling))} tries")
        for step in world.steps():
            following = world.copy()
            following.perform(step)
            key = following.key()
            if key not in seen:
                seen.add(key)
                waiting.append(following)
    return len(seen)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--broken", action="store_true")
    options = parser.parse_args()
    passed = failed = 0
    for name in BROKEN if options.broken else [""]:
        found = ""
        for first, second, spare in WORLDS:
            try:
                states = explore((first, second), spare, {name})
            except Fault as fault:
                found = f"{fault} ({first} and {second} frames, {spare} links more)"
                break
            if not name:
                passed += 1
                print(f"✔ {first} and {second} frames, {spare} links more: {states:,} states", flush=True)
        isRight = bool(found) == bool(name)
        if name or found:
            print(f"{'✔' if isRight else '✘'} {BROKEN.get(name, 'the rules')}: {found or 'no fault found'}", flush=True)
            passed, failed = passed + isRight, failed + (not isRight)
    print(f"{passed} passed, {failed} failed")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
