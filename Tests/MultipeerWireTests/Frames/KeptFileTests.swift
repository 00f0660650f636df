import Testing

@testable import MultipeerWire

@Suite("An identical file that was kept, SPEC §15.5")
struct KeptFileTests {
    @Test("The field is empty, and of an odd type: a peer that does not know it skips it")
    func field() {
        #expect(KeptFile.field.value.isEmpty && KeptFile.field.type % 2 == 1)
        #expect(KeptFile.isSaid(in: [KeptFile.field]) && !KeptFile.isSaid(in: []))
        let names = RenamedNames(count: 1, names: [.init(path: [], localPath: [0x61])])
        #expect(KeptFile.isSaid(in: [names.field, KeptFile.field]))
    }

    @Test("Its value has no meaning")
    func value() {
        #expect(!KeptFile.isSaid(in: [Field(type: KeptFile.field.type, value: [1])]))
    }
}
