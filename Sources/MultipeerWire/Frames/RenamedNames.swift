/// What the receiver of a file or folder has called otherwise than its sender: a field of FILE_DONE (SPEC §15.5).
public struct RenamedNames: Hashable, Sendable {
    /// A name that has changed.
    public struct Name: Hashable, Sendable {
        /// The path within the folder, as its sender says it; empty for what was offered itself.
        public let path: [UInt8]
        /// The same at the receiver, UTF-8 like the path.
        public let localPath: [UInt8]

        /// Joins both.
        public init(path: [UInt8], localPath: [UInt8]) {
            self.path = path
            self.localPath = localPath
        }
    }

    /// The type of the field.
    static let fieldType: UInt64 = 0x05
    /// The greatest length of its value, so that it fits into a list.
    private static let maximumLength = Field.maximumListLength - 3
    /// Names of files may grow a little where they get a number.
    private static let maximumPathLength = 1_024

    /// How many names have changed, at least one.
    public let count: UInt64
    /// The first of them, as many as there is room for.
    public let names: [Name]

    /// Keeps as many of `names` as fit into the field. `count` must be at least 1, and as many as there are names.
    public init(count: UInt64, names: [Name]) {
        self.count = count
        var kept: [Name] = []
        var writer = Writer()
        writer.varint(count)
        for name in names {
            guard name.path.count <= Self.maximumPathLength, (1...Self.maximumPathLength).contains(name.localPath.count)
            else { continue }
            name.write(&writer)
            guard writer.bytes.count <= Self.maximumLength else { break }
            kept.append(name)
        }
        self.names = kept
    }

    /// Finds the field; nil if there is none, or if it is not as SPEC §15.5 says: nothing depends on it.
    public init?(_ fields: [Field]) {
        guard let field = fields.first(where: { $0.type == Self.fieldType }) else { return nil }
        do throws(WireError) {
            var reader = Reader(field.value.span)
            count = try reader.varint(.fieldValue)
            var names: [Name] = []
            while reader.remaining > 0 {
                names.append(
                    Name(
                        path: try reader.text(0...Self.maximumPathLength, .memberPath),
                        localPath: try reader.text(1...Self.maximumPathLength, .memberPath)))
            }
            self.names = names
        } catch {
            return nil
        }
        guard count > 0, UInt64(names.count) <= count else { return nil }
    }

    /// The field.
    public var field: Field {
        var writer = Writer()
        writer.varint(count)
        for name in names { name.write(&writer) }
        return Field(type: Self.fieldType, value: writer.bytes)
    }
}

extension RenamedNames.Name {
    fileprivate func write(_ writer: inout Writer) {
        writer.vector(path)
        writer.vector(localPath)
    }
}
