"""The stateless groups of SPEC §23: Advertisement, Publication."""

from __future__ import annotations

from ..advertisement import Advertisement, BadAdvertisement, instance_name, key_tag, service_type, strings
from ..errors import ProtocolError
from ..names import decode_display_name
from .answers import Answer


def _bytes(inputs: dict, name: str) -> bytes:
    return bytes.fromhex(inputs[name])


def _all(inputs: dict, name: str) -> list[bytes]:
    return [bytes.fromhex(text) for text in inputs[name]]


def _hex(texts: list[bytes]) -> list[str]:
    return [text.hex() for text in texts]


_BAD = Answer(error="bad_advertisement", drops=True)


def advertisement(params: dict, inputs: dict) -> Answer:
    try:
        read = Advertisement.read(_all(inputs, "strings"), _bytes(inputs, "instanceName"))
    except BadAdvertisement:
        return _BAD
    name = {} if read.name is None else {"name": read.name.encode().hex()}
    info = [key + b"=" + value for key, value in read.info]
    return Answer({"tag": read.tag.hex(), "private": read.is_private, "info": _hex(info)} | name)


def publication(params: dict, inputs: dict) -> Answer:
    pairs = [text.partition(b"=") for text in _all(inputs, "info")]
    try:
        if not all(separator for _, separator, _ in pairs):
            raise BadAdvertisement("no equals sign")
        service, name = service_type(_bytes(inputs, "service")), decode_display_name(_bytes(inputs, "name"))
        is_private, drawn = inputs["private"], _bytes(inputs, "random")
        tag = drawn if is_private else key_tag(_bytes(inputs, "identityKey"))
        published_as = instance_name(drawn.hex() if is_private else name, inputs["attempt"])
        said = strings(tag, None if is_private else name, published_as, [(key, value) for key, _, value in pairs])
    except (BadAdvertisement, ProtocolError):
        return _BAD
    return Answer({"type": service, "instanceName": published_as.encode().hex(), "strings": _hex(said)})


GROUPS = {"Advertisement": advertisement, "Publication": publication}
