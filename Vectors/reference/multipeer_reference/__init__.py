"""The Multipeer protocol, version 1, written from SPEC.md alone.

A sans-IO core: `link.Link` takes bytes, times and requests of the app, and gives bytes, events and one deadline.
The codecs below it are pure. `peer` is the only module that knows sockets.
"""
