/// A link that a node and the driver of its transport share. The node is its owner: whatever changes the link is noted for the node in
/// the moment of the change, so that no driver can forget to report it.
///
/// Like the node, it is used on one thread at a time.
package final class LinkHandle {
    private var stored: Link
    /// Where changes are noted; nil for a link without a node.
    private let owner: (changes: ChangedLinks, number: LinkNumber)?
    private(set) var isNoted = false

    /// A link of a driver's own.
    package init(_ link: consuming Link) {
        stored = link
        owner = nil
    }

    /// A link of a node.
    init(_ link: consuming Link, _ number: LinkNumber, in changes: ChangedLinks) {
        stored = link
        owner = (changes, number)
    }

    /// The link.
    package var link: Link {
        _read { yield stored }
        _modify {
            noteChange()
            yield &stored
        }
    }

    /// The link's next effect. To take it needs no look at the link afterwards.
    package func nextEffect() -> LinkEffect? { stored.nextEffect() }

    /// Something happened to the link: its effects have to be drained.
    func noteChange() {
        guard !isNoted, let owner else { return }
        isNoted = true
        owner.changes.append(self, owner.number)
    }

    /// The owner looks at the link now. What changes it from here on is noted again.
    fileprivate func beginLook() { isNoted = false }
}

/// The links of a node that have changed since it looked at them.
final class ChangedLinks {
    private var queue = DrainQueue<(handle: LinkHandle, number: LinkNumber)>()

    var isEmpty: Bool { queue.isEmpty }

    func append(_ handle: LinkHandle, _ number: LinkNumber) { queue.append((handle, number)) }

    /// The next one; nil when the node has looked at all.
    func next() -> LinkNumber? {
        guard let (handle, number) = queue.next() else { return nil }
        handle.beginLook()
        return number
    }
}
