/// What has changed in any of a node's sessions since the node looked: most inputs change nothing there, and sessions may be many.
/// A class, because links tell it to memberships in the middle of a record.
final class SessionSignals {
    /// A membership may have something for the node to carry out.
    var hasEvents = false
    /// The app may have something new to see of a member.
    var hasChanges = false
    /// UNITE may be due on a link.
    var hasUnions = false
    /// A session may have something to do earlier than before, or later.
    var hasDeadlines = false
}
