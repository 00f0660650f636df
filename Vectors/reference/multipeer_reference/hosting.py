"""A node on real links: what links tell becomes a node's input, and its commands become acts on links."""

from __future__ import annotations

from dataclasses import replace

from . import events
from .config import AcceptInvitation, DeclineInvitation, Verdict
from .errors import ErrorCode, MisuseError
from .link import Link
from .node import Node
from .nodeevents import Accept, AskForLife, CloseLink, DeclineWith, Dial, Judge, SendInvite, SendResume
from .session.departures import End
from .session.entries import Address


class Host:
    """Certificates are accepted from everybody but `refuses`; `messages` has what came, with its senders."""

    def __init__(self, node: Node, refuses: frozenset[bytes] = frozenset()) -> None:
        self.node, self._refuses = node, refuses
        self.links: dict[object, Link] = {}
        self.dialled: dict[object, Address] = {}
        self.messages: list[tuple[bytes, bytes]] = []
        self._tokens: dict[object, int] = {}
        self._verdicts: dict[object, int] = {}  # tokens, too
        self._silent: set[object] = set()
        self._ends: dict[object, End] = {}
        self._proved: dict[bytes, object] = {}  # of each member that is dialled, the link that continues ([R14.8-7])

    def add(self, number: object, link: Link, dialled: Address | None) -> None:
        """`dialled`: where this node has asked for it by Dial."""
        self.links[number] = link
        if self.node.associations.grace:
            link.core.config = replace(link.core.config, associations=self.node.associations)
        if dialled is not None:
            self.dialled[number] = dialled
            link.core.config = replace(link.core.config, goes_on=lambda member: self._goes_on(number, member))

    def _goes_on(self, number: object, member: bytes) -> bool:
        """Whether this link is the first of those that were dialled on which the member has proved itself."""
        first = self._proved.get(member)
        if first is not None and first in self.links and not self.links[first].has_sent_all:
            return False
        self._proved[member] = number
        return True

    def _close_surplus(self, now: int) -> None:
        """The others are closed without PROOF."""
        for number in self.dialled & self.links.keys():
            link = self.links[number]
            first = self._proved.get(link.core.config.expected_peer or b"")
            if first is not None and first != number and first in self.links and link.core.peer_key is None:
                link.close(now)

    def turn(self, now: int) -> list[Dial]:
        """Moves events and commands until there are none; the dials are for the owner of sockets."""
        dials: list[Dial] = []
        self._close_surplus(now)
        self.node.tick(now)
        moved = True
        while moved:
            moved = False
            for number, link in list(self.links.items()):
                for event in link.take_events():
                    moved = True
                    self._tell(number, link, event, now)
                moved |= self._tell_of_silence(number, link)
            commands, self.node.commands = self.node.commands, []
            for command in commands:
                moved = True
                if isinstance(command, Dial):
                    dials.append(command)
                elif command.link in self.links:
                    self._carry_out(command, self.links[command.link], now)
        return dials

    def _tell(self, number: object, link: Link, event: events.Event, now: int) -> None:
        match event:
            case events.Identified(identity_key=key):
                self.node.identified(number, key, self.dialled.get(number))
            case events.InvitationReceived(token=token):
                self._tokens[number] = token
                assert link.inviting.received is not None
                self.node.invited(number, link.inviting.received)
            case events.InvitationAnswered(by_us=False):
                self.node.accepted(number)
            case events.InvitationDeclined(reason=reason):
                self._ends.setdefault(number, End(decline=reason))
            case events.InvitationCancelled(reason=reason):
                self._ends.setdefault(number, End(cancel=reason))
            case events.CertificatesReceived(token=token):
                self._verdicts[number] = token
                self.node.certificates_came(number)
            case events.LifeShown():
                self.node.life_shown(number)
            case events.Opened():
                assert link.standing.exchange is not None
                self.node.opened(number, link.standing.exchange)
            case events.Resumed():
                assert link.standing.exchange is not None
                self.node.resumed(number, link.standing.exchange)
            case events.Interrupted():
                self.node.interrupted(number)
            case events.MessageReceived(data=data):
                self.messages.append((link.core.peer_key or b"", data))
            case events.Closed():
                self._closed(number, link)

    def _tell_of_silence(self, number: object, link: Link) -> bool:
        """Nothing is to be waited for, though the peer has until *closing* is over to answer (SPEC §16.1)."""
        is_news = link.core.error is ErrorCode.SILENT and number in self.links and number not in self._silent
        if is_news:
            self._silent.add(number)
            self.node.fell_silent(number)
        return is_news

    def _closed(self, number: object, link: Link) -> None:
        del self.links[number]
        self.dialled.pop(number, None)
        self._silent.discard(number)
        if number in self.node.links:
            self.node.links[number].resumes |= link.resuming.has_come
            self.node.ended(number, self._ends.pop(number, None) or end_of(link), link.standing.association)

    def _carry_out(self, command: object, link: Link, now: int) -> None:
        """What has become impossible meanwhile is left."""
        try:
            match command:
                case SendInvite(request=request):
                    link.invite(request, now)
                case SendResume():
                    lasting = self.node.associations.resumable(link.core.peer_key or b"")
                    if lasting is None:
                        link.close(now)
                    else:
                        link.resume(lasting, now)
                case Accept(link=number):
                    link.resolve(self._tokens[number], AcceptInvitation(), now)
                case DeclineWith(link=number, reason=reason):
                    link.resolve(self._tokens[number], DeclineInvitation(reason), now)
                case AskForLife():
                    link.association(now).ask_for_life()
                case Judge(link=number):
                    is_refused = link.core.peer_key in self._refuses
                    code = ErrorCode.CERTIFICATE_REJECTED if is_refused else ErrorCode.NO_ERROR
                    link.resolve(self._verdicts[number], Verdict(code), now)
                case CloseLink(link=number, code=code, end=end):
                    self._ends.setdefault(number, end)
                    link.close(now, ErrorCode(code))
        except MisuseError:
            pass


def end_of(link: Link) -> End:
    """How a link ended that the node has not closed itself."""
    core = link.core
    proved = core.peer_key is not None
    if core.error is not None:
        return End(core.error, in_frame=core.fault_in_frame, proved=proved)
    return End(core.peer_code, by_peer=core.peer_code is not None, proved=proved)
