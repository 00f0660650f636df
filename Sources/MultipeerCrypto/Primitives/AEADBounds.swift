/// The preconditions of ``AEADKey``, checked by every backend before it hands pointers to C.
///
/// They trap, because only our own code chooses buffers: no byte of a peer moves these numbers (SPEC §6 bounds every
/// record before it reaches a key).
package enum AEADBounds {
    /// All ranges lie inside the buffer, in order, with room for the tag.
    package static func checkSeal(bufferCount: Int, associatedData: Range<Int>, plaintext: Range<Int>) {
        precondition(associatedData.lowerBound >= 0 && associatedData.upperBound <= plaintext.lowerBound)
        precondition(plaintext.upperBound <= bufferCount - aeadTagLength)
    }

    /// The output has room for the plaintext.
    package static func checkOpen(freeCapacity: Int, plaintextCount: Int) {
        precondition(plaintextCount <= freeCapacity)
    }
}
