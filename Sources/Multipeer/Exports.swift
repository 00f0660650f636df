// Types of the layers below that apps write themselves: they need no other import.
@_exported public import enum MultipeerCore.MessageResult
@_exported public import struct MultipeerDriver.UndeliveredMessages
@_exported public import enum MultipeerNIO.Endpoint
