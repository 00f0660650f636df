import MultipeerCertificates
package import MultipeerWire

extension [DescribedField] {
    /// What visited fields say, under the names of SPEC.md. Lists are put together; lists of later versions, which are
    /// empty in this one, are left out then.
    package init(_ fields: [VisitedField], of bytes: [UInt8], in type: FrameType? = nil) {
        self = []
        var rest = fields[...]
        while let field = rest.popFirst() {
            switch field.kind {
            case .length: break
            case .listLength:
                let elements = rest.prefix { $0.depth > field.depth }
                rest = rest.dropFirst(elements.count)
                if Self.laterLists.contains(field.name), elements.isEmpty { continue }
                append(DescribedField(field.name, .list(Self.list(elements, bytes))))
            case .content where type == .padding: break
            case .bytes where field.name == "detail" && field.range.isEmpty: break
            default: append(DescribedField(field.name, FieldValue(field, bytes, in: type)))
            }
        }
    }

    private static let laterLists: Set<String> = ["fields", "parameters", "features"]

    /// Elements that have one field, or a number and what belongs to it.
    private static func list(_ elements: ArraySlice<VisitedField>, _ bytes: [UInt8]) -> [FieldValue] {
        var values: [FieldValue] = []
        for element in elements {
            switch element.kind {
            case .length, .listLength: break
            case .number, .code: values.append(FieldValue(element, bytes, in: nil))
            case .content where element.name == "certificate":
                values.append(.word("\(element.range.count) bytes of DER"))
            case .bytes where element.range.isEmpty: break
            case .bytes, .content:
                if let number = values.popLast() {
                    values.append(.list([number, FieldValue(element, bytes, in: nil)]))
                }
            }
        }
        return values
    }
}

extension FieldValue {
    fileprivate init(_ field: VisitedField, _ bytes: [UInt8], in type: FrameType?) {
        self =
            switch (field.kind, field.name) {
            case (.number, _), (.length, _), (.listLength, _): .number(field.value)
            case (.bytes, _): .bytes(Array(bytes[field.range]))
            case (.content, _): .content(Array(bytes[field.range]))
            case (.code, "reason") where type != .fileCancel: .word(field.meaning ?? "")
            case (.code, "version"), (.code, "suite"), (.code, "extension"), (.code, "feature"):
                .code(field.value, digits: 4, name: field.meaning ?? "unknown")
            case (.code, "algorithm"):
                .code(field.value, digits: 4, name: Self.algorithm(UInt16(truncatingIfNeeded: field.value)))
            case (.code, "field"): .code(field.value, digits: 2, name: field.meaning ?? "unknown, ignorable")
            case (.code, _): .code(field.value, digits: 2, name: field.meaning ?? "unknown")
            }
    }

    private static func algorithm(_ number: UInt16) -> String {
        SignatureAlgorithm(rawValue: number)?.name ?? (number == 0 ? "none" : "unknown")
    }
}
