/// A bar on the screen, for one transfer or something else that takes time. It goes when it ends, and when nobody holds it any more.
public final class BarHandle: Sendable {
    private let number: Int
    private let screen: Screen

    init(_ number: Int, on screen: Screen) {
        self.number = number
        self.screen = screen
    }

    /// Shows how far it is.
    public func show(_ progress: ProgressBar) { screen.show(bar: number, .progress(progress)) }

    /// Shows a line, such as what is waited for.
    public func show(_ text: String) { screen.show(bar: number, .text(text)) }

    /// Removes the bar.
    public func end() { screen.show(bar: number, nil) }

    deinit { screen.show(bar: number, nil) }
}
