"""Record streams of vectors: magic, kinds, lengths and limits without opening a body (SPEC §6.1, §6.2, §19)."""

from __future__ import annotations

from ..errors import ErrorCode, ProtocolError
from ..records import MAGIC, PROTECTED, Assembler, RecordKind
from .answers import Answer, require_same


class RecordStream:
    """Judges a stream as it comes. `looked_at` is where in it the receiver has looked so far, or found the fault."""

    def __init__(self, inputs: dict, receiver: str) -> None:
        self._assembler = Assembler()
        opens = inputs["opening"] == "hello"
        first = {RecordKind.HELLO} if receiver == "responder" else {RecordKind.HELLO, RecordKind.REFUSAL}
        self._allowed = first if opens else set(PROTECTED)
        self._maximum = inputs.get("maximumRecordLength")
        self._allowance = inputs.get("allowance")
        if not opens:
            self._assembler.feed(MAGIC)
            self._assembler.take_magic()
        self._fed = 0
        self._behind = 0  # where the last whole record, or the magic, ended
        self._has_magic = not opens
        self.records: list[dict] = []
        self.error: ProtocolError | None = None
        self.looked_at = 0

    def feed(self, data: bytes) -> None:
        if self.error:
            return
        self._assembler.feed(data)
        self._fed += len(data)
        try:
            while self._step():
                pass
            self.looked_at = self._fed
        except ProtocolError as error:
            self.error = error

    def _step(self) -> bool:
        if not self._has_magic:
            try:
                self._has_magic = self._assembler.take_magic()
            finally:  # a fault of the magic is at the byte that was looked at last
                self.looked_at = self._assembler.magic_seen + 1
            self._behind = len(MAGIC)
            return self._has_magic
        self.looked_at = self._behind + 1
        kind = self._assembler.peek_kind()
        if kind is None:
            return False
        if kind not in self._allowed:
            raise ProtocolError(ErrorCode.UNEXPECTED_RECORD, kind.name)
        self.looked_at = self._behind + 3
        header = self._assembler.peek_header()
        if header is None:
            return False
        if kind in PROTECTED:
            self._limit(header.record_length)
        body = self._assembler.take_body(header)
        if body is None:
            return False
        self._count(header.record_length)
        self.records.append({"kind": int(kind), "body": body.hex()})
        self._allowed = set(PROTECTED)
        self._behind += header.record_length
        return True

    def _limit(self, length: int) -> None:
        """[R19-1], [R19-2]."""
        if (self._maximum is not None and length > self._maximum) or (
            self._allowance is not None and length > self._allowance
        ):
            raise ProtocolError(ErrorCode.LIMIT_EXCEEDED)

    def _count(self, length: int) -> None:
        if self._allowance is not None:
            self._allowance -= length

    @property
    def answer(self) -> Answer:
        expected = {"records": self.records, "consumed": self.looked_at}
        if self.error:
            return Answer.rejected(self.error, expected)
        return Answer(expected, incomplete=not self._has_magic or not self._assembler.is_empty or not self.records)


def _pieces(data: bytes) -> list[int]:
    """Where to cut: everywhere, or in long streams at the edges and at every 4,099th offset (Vectors/README.md)."""
    length = len(data)
    if length <= 4_096:
        return list(range(1, length))
    inner = range(64, length - 64, 4_099)
    return sorted({*range(1, 65), *inner, *range(length - 64, length)})


def judge(params: dict, inputs: dict) -> Answer:
    """Whole, byte by byte, and cut in two everywhere, with one outcome."""
    data = bytes.fromhex(inputs["bytes"])

    def run(*parts: bytes) -> RecordStream:
        stream = RecordStream(inputs, params["receiver"])
        for part in parts:
            stream.feed(part)
        return stream

    answer = run(data).answer
    for cut in _pieces(data):
        require_same(f"cut at {cut}", run(data[:cut], data[cut:]).answer, answer)
    drip = RecordStream(inputs, params["receiver"])
    for count in range(len(data)):
        drip.feed(data[count : count + 1])
        if drip.error:
            require_same("bytes that a fault needs, one by one", count + 1, answer.expected["consumed"])
            break
    require_same("byte by byte", drip.answer, answer)
    return answer
