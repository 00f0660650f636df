import Glibc

/// Keeps the ends of a pipe from all children but the one that gets them as its input or output.
///
/// `Process` closes in its child what was open when it looked. A child that another thread starts at that moment would
/// keep the ends open, and a reader that waits for the end of the pipe would wait for that child.
package func keepFromOtherChildren(_ descriptors: Int32...) {
    for descriptor in descriptors { _ = fcntl(descriptor, F_SETFD, FD_CLOEXEC) }
}
