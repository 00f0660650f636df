import MultipeerTransfers

/// Shows how one file comes along, on the last line of the terminal.
struct TransferBar: Sendable {
    private let direction: FileDirection
    private let output: Output

    init(_ direction: FileDirection, _ output: Output) {
        self.direction = direction
        self.output = output
    }

    func show(_ event: TransferEvent) {
        guard case .progress(let progress) = event, output.drawsProgress else { return }
        output.show(bar: ProgressBar.line(FileProgress(progress, direction), columns: StandardStream.error.columns))
    }

    func end() { output.show(bar: nil) }
}
