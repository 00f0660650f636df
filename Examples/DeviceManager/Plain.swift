extension String {
    /// Text of others, without anything that a terminal would obey.
    var plain: String {
        String(String.UnicodeScalarView(unicodeScalars.map { $0.properties.generalCategory == .control ? "?" : $0 }))
    }
}
