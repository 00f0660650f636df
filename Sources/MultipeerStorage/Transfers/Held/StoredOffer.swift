public import MultipeerCore
import MultipeerCrypto
public import MultipeerWire

/// What a disk needs to know of a file that a peer offers.
public struct StoredOffer: Hashable, Sendable {
    /// The name of the finished file. It must be sanitised; a name that is not plain is refused.
    public let name: String
    /// The exact length of the finished file, in bytes.
    public let size: UInt64
    /// What distinguishes this content from other content of the same sender, 16 bytes; zeros if it cannot be resumed.
    public let tag: [UInt8]
    /// What it is.
    public let kind: FileKind
    /// When the content was last changed, in seconds since 1970; 0 if that is unknown.
    public let modified: UInt64
    /// The length of a folder's manifest, in bytes.
    public let manifest: UInt64

    /// Describes an offer.
    public init(
        name: String, size: UInt64, tag: [UInt8] = FileOffer.noTag, kind: FileKind = .file, modified: UInt64 = 0,
        manifest: UInt64 = 0
    ) {
        self.name = name
        self.size = size
        self.tag = tag
        self.kind = kind
        self.modified = modified
        self.manifest = manifest
    }

    /// Describes an offer of the peer.
    /// - Parameters:
    ///   - offer: What the peer offers.
    ///   - name: What it is to be called: its local name, or its visible one (R15.5-3).
    public init(_ offer: IncomingOffer, named name: String) {
        self.init(
            name: name, size: offer.size, tag: offer.tag, kind: offer.kind, modified: offer.modified,
            manifest: offer.manifest)
    }

    /// Whether a part of it can be held (R15.7-2).
    var isResumable: Bool { tag != FileOffer.noTag && tag.count == FileOffer.tagLength && size > 0 }

    /// The length of the manifest, if this is a folder.
    var manifestLength: UInt64? { kind == .folder ? manifest : nil }

    var attributes: FileAttributes { FileAttributes(isExecutable: kind == .executable, modified: modified) }

    /// The name of a held beginning, which says what it is the beginning of: tag, size, type and length of the manifest. So
    /// there is no index that could be lost or wrong. Its last part stands for the name that the file was to get.
    var heldName: String { heldContent + nameMark + HeldFiles.suffix }

    /// Whether what is held under a name is the beginning of this content, whatever it was to be called.
    func isHeld(as name: String) -> Bool {
        name.hasPrefix(heldContent + "-") && name.hasSuffix(HeldFiles.suffix) || name == heldContent + HeldFiles.suffix
    }

    /// Whether what is held under a name was to be called as this offer is.
    func isNamesake(_ name: String) -> Bool { name.hasSuffix(nameMark + HeldFiles.suffix) }

    private var heldContent: String { "\(Hexadecimal.encode(tag))-\(size)-\(kind.rawValue)-\(manifest)" }

    /// A short stand-in for the name (64-bit FNV-1a), because the name itself may be as long as a file name can be. A sender that finds two
    /// names with one mark loses a beginning of its own.
    private var nameMark: String {
        let hash = name.utf8.reduce(0xCBF2_9CE4_8422_2325 as UInt64) { ($0 ^ UInt64($1)) &* 0x0100_0000_01B3 }
        return "-n" + String(hash, radix: 16)
    }
}
