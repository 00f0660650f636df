/// A place for something that cannot be copied, for closures to share.
final class Box<Value: ~Copyable> {
    var value: Value

    init(_ value: consuming Value) { self.value = value }
}
