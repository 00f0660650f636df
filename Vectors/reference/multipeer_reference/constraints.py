"""Name constraints over a path (RFC 5280 §4.2.1.10, §6.1.3 (b) and (c), §6.1.4 (g)).

What cannot be compared is answered so that the certificate is refused.
"""

from __future__ import annotations

import re
from typing import Iterator, Sequence

from cryptography import x509
from cryptography.x509.name import _ASN1Type
from cryptography.x509.oid import NameOID

from .extensions import Rejected, find

_LABEL = r"[A-Za-z0-9](?:[A-Za-z0-9-]{0,61}[A-Za-z0-9])?"
_HOST = re.compile(rf"{_LABEL}(?:\.{_LABEL})*")
_LOCAL_PART = re.compile(r"[!-?A-~]+")
_URI = re.compile(r"[A-Za-z][A-Za-z0-9+.-]*:[!-~]+")
_AUTHORITY = re.compile(r"[^:]*://([^/?#]*)")
_COMPARABLE = {_ASN1Type.UTF8String, _ASN1Type.PrintableString, _ASN1Type.IA5String}
# A path that needs more comparisons is refused, so that many names and many constraints cannot cost minutes.
MAXIMUM_COMPARISONS = 65_536


def is_host(text: str) -> bool:
    return len(text) <= 253 and _HOST.fullmatch(text) is not None


def is_self_issued(certificate: x509.Certificate) -> bool:
    return certificate.issuer.public_bytes() == certificate.subject.public_bytes()


def check_name_constraints(path: Sequence[x509.Certificate]) -> None:
    """`path` begins with the leaf and ends with the anchor. Self-issued intermediates are exempt."""
    comparisons = 0
    for index, issuer in enumerate(path):
        constraints = find(issuer, x509.NameConstraints)
        if constraints is None:
            continue
        permitted = list(constraints.value.permitted_subtrees or [])
        excluded = list(constraints.value.excluded_subtrees or [])
        for below, certificate in enumerate(path[:index]):
            if below and is_self_issued(certificate):
                continue
            for name in _names(certificate):
                comparisons += len(permitted) + len(excluded)
                if comparisons > MAXIMUM_COMPARISONS:
                    raise Rejected("too many names and constraints")
                _check(name, permitted, excluded)


def check_form_of_names(certificate: x509.Certificate) -> None:
    """Every subject alternative name has the form of its kind (RFC 5280 §4.2.1.6)."""
    alternatives = find(certificate, x509.SubjectAlternativeName)
    for name in alternatives.value if alternatives else []:
        match name:
            case x509.DNSName(value=host):
                good = is_host(host.removeprefix("*."))
            case x509.RFC822Name(value=mailbox):
                good = _mailbox(mailbox) is not None
            case x509.UniformResourceIdentifier(value=uri):
                good = _URI.fullmatch(uri) is not None
            case _:
                good = True
        if not good:
            raise Rejected("a malformed subject alternative name")


def check_form_of_constraints(certificate: x509.Certificate) -> None:
    """Every constraint has the form of its kind, so that none is silently without effect."""
    constraints = find(certificate, x509.NameConstraints)
    if constraints is None:
        return
    for base in [*(constraints.value.permitted_subtrees or []), *(constraints.value.excluded_subtrees or [])]:
        match base:
            case x509.DNSName(value=host):
                good = not host or is_host(host)
            case x509.RFC822Name(value=text):
                good = _mailbox(text) is not None if "@" in text else is_host(text.removeprefix("."))
            case x509.UniformResourceIdentifier(value=host):
                good = is_host(host.removeprefix("."))
            case _:
                good = True
        if not good:
            raise Rejected("a malformed name constraint")


def _names(certificate: x509.Certificate) -> Iterator[x509.GeneralName]:
    """Alternative names, the subject, and mailboxes that the subject holds in the old way."""
    alternatives = find(certificate, x509.SubjectAlternativeName)
    if alternatives:
        yield from alternatives.value
    if certificate.subject.rdns:
        yield x509.DirectoryName(certificate.subject)
    for attribute in certificate.subject.get_attributes_for_oid(NameOID.EMAIL_ADDRESS):
        yield x509.RFC822Name(str(attribute.value))


def _check(
    name: x509.GeneralName, permitted: Sequence[x509.GeneralName], excluded: Sequence[x509.GeneralName]
) -> None:
    if any(type(base) is type(name) and _overlaps(base, name) for base in excluded):
        raise Rejected("a name that an authority excludes")
    same = [base for base in permitted if type(base) is type(name)]
    if same and not any(_holds(base, name) for base in same):
        raise Rejected("a name that an authority does not permit")


def _holds(base: x509.GeneralName, name: x509.GeneralName) -> bool:
    """Whether all that `name` stands for certainly lies in the subtree."""
    return _contains(base, name) is True


def _overlaps(base: x509.GeneralName, name: x509.GeneralName) -> bool:
    """Whether something that `name` stands for may lie in the subtree."""
    if isinstance(base, x509.DNSName) and isinstance(name, x509.DNSName) and name.value.startswith("*."):
        # A wildcard also stands for a subtree's own root one label below its base.
        if base.value.lower().partition(".")[2] == name.value[2:].lower():
            return True
    return _contains(base, name) is not False


def _contains(base: x509.GeneralName, name: x509.GeneralName) -> bool | None:
    """None: it cannot be decided."""
    match base, name:
        case x509.DNSName(value=subtree), x509.DNSName(value=host):
            subtree, host = subtree.lower(), host.lower().removeprefix("*.")
            return not subtree or host == subtree or host.endswith("." + subtree)
        case x509.IPAddress(value=network), x509.IPAddress(value=address):
            return address in network
        case x509.RFC822Name(value=text), x509.RFC822Name(value=address):
            mailbox = _mailbox(address)
            if mailbox is None:
                return None
            return _mailbox(text) == mailbox if "@" in text else _host_matches(text, mailbox[1])
        case x509.UniformResourceIdentifier(value=text), x509.UniformResourceIdentifier(value=uri):
            host = _uri_host(uri)
            return None if host is None else _host_matches(text, host)
        case x509.DirectoryName(value=subtree), x509.DirectoryName(value=whole):
            return _directory_contains(subtree, whole)
    return None


def _host_matches(constraint: str, host: str) -> bool:
    """A constraint that begins with a period holds the hosts below it alone."""
    constraint, host = constraint.lower(), host.lower()
    return host.endswith(constraint) if constraint.startswith(".") else host == constraint


def _mailbox(text: str) -> tuple[str, str] | None:
    local, at, host = text.partition("@")
    return (local, host.lower()) if at and _LOCAL_PART.fullmatch(local) and is_host(host) else None


def _uri_host(uri: str) -> str | None:
    """RFC 5280: a URI without an authority that is a host name is refused under any constraint of URIs."""
    authority = _AUTHORITY.match(uri)
    if authority is None:
        return None
    host = authority[1].rpartition("@")[2].partition(":")[0]
    return host if host and not host.startswith("[") else None


def _directory_contains(subtree: x509.Name, name: x509.Name) -> bool | None:
    """A name lies in a subtree if it begins with the subtree's relative names (RFC 5280 §7.1)."""
    if len(name.rdns) < len(subtree.rdns):
        return False
    answer: bool | None = True
    for expected, actual in zip(subtree.rdns, name.rdns):
        if _encoded(expected) == _encoded(actual):
            continue
        left, right = [_comparable(a) for a in expected], [_comparable(a) for a in actual]
        if len(left) != len(right):
            return False
        if None in left or None in right:
            answer = None
        elif set(left) != set(right):
            return False
    return answer


def _encoded(relative_name: x509.RelativeDistinguishedName) -> bytes:
    return x509.Name([relative_name]).public_bytes()


def _comparable(attribute: x509.NameAttribute) -> tuple[str, str] | None:
    """Case folded, runs of spaces made one, ends trimmed; None for string types that compare only byte by byte."""
    if attribute._type not in _COMPARABLE or not isinstance(attribute.value, str):
        return None
    return attribute.oid.dotted_string, " ".join(filter(None, attribute.value.lower().split(" ")))
