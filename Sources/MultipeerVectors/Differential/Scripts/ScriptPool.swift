/// All scripts of the vectors, and what can be put from one into another.
struct ScriptPool {
    /// Longer scripts cost time; every so often one is taken all the same.
    private static let usualSize = 12_000

    /// By file, because some files have many scripts that all end early.
    private var models: [String: [ScriptModel]] = [:]
    private var longModels: [ScriptModel] = []
    private var names: [String] = []
    /// Frames of peers.
    private(set) var frames: [ScriptFrame] = []
    /// Their types.
    private(set) var frameTypes: [UInt64] = []
    /// Steps of apps.
    private(set) var appSteps: [JSONValue] = []
    private var seen: Set<String> = []

    mutating func add(_ params: JSONValue, _ steps: [JSONValue], of file: String, crypto: SwiftCrypto) {
        let model = ScriptModel(params: params, steps: steps, crypto: crypto)
        let size = model.pieces.reduce(0) { $0 + Self.size($1) }
        if size > Self.usualSize {
            longModels.append(model)
        } else {
            models[file, default: []].append(model)
            if names.last != file { names.append(file) }
        }
        for piece in model.pieces { collect(piece) }
    }

    private static func size(_ piece: ScriptPiece) -> Int {
        switch piece.content {
        case .bytes(let bytes), .record(_, let bytes): bytes.count
        case .step(let step): JSONWriter.line(step).utf8.count / 2
        }
    }

    private mutating func collect(_ piece: ScriptPiece) {
        switch piece.content {
        case .bytes: break
        case .record(_, let bytes):
            for frame in ScriptFrame.frames(in: bytes)?.frames ?? [] where frame.payload.count <= 600 {
                guard seen.insert("\(frame)").inserted else { continue }
                frames.append(frame)
                if !frameTypes.contains(frame.type) { frameTypes.append(frame.type) }
            }
        case .step(let step):
            let line = JSONWriter.line(step)
            if step["actor"] == "app", line.utf8.count < 4_000, seen.insert(line).inserted { appSteps.append(step) }
        }
    }

    /// One of the scripts, of which there is at least one.
    func model(_ dice: inout Dice) -> ScriptModel {
        let takesLong = models.isEmpty || !longModels.isEmpty && dice.once(in: 100)
        return dice.pick(takesLong ? longModels : models[dice.pick(names)] ?? longModels)
    }

    var isEmpty: Bool { models.isEmpty && longModels.isEmpty }
}
