/// A link that a node and the driver of its transport share. The one that changes it notifies the node
/// (``Node/changed(_:at:)``).
///
/// Like the node, it is used on one thread at a time.
package final class LinkBox {
    /// The link.
    package var link: Link

    package init(_ link: consuming Link) {
        self.link = link
    }
}
