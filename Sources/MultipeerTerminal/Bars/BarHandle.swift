/// A bar on the screen, for one transfer. It goes when it ends, and when nobody holds it any more.
public final class BarHandle: Sendable {
    private let number: Int
    private let screen: Screen

    init(_ number: Int, on screen: Screen) {
        self.number = number
        self.screen = screen
    }

    /// Shows how far it is.
    public func show(_ progress: ProgressBar) { screen.show(bar: number, progress) }

    /// Removes the bar.
    public func end() { screen.show(bar: number, nil) }

    deinit { screen.show(bar: number, nil) }
}
