internal import MultipeerCrypto
internal import MultipeerScriptedPeer
internal import MultipeerWire

/// The one key pair of ML-KEM-768 in vectors, and one ciphertext for it.
extension Samples {
    /// d ‖ z of the initiator.
    var kemSeed: [UInt8] { bytes(KeyEncapsulationLength.seed, "kem seed") }

    /// The initiator's key.
    func encapsulationKey() throws -> [UInt8] {
        try NoiseSteps(crypto: crypto.provider).encapsulationKey(ofSeed: kemSeed)
    }

    /// What the responder's Encaps gives. No library takes its randomness from outside, so the ciphertext is one that was made once.
    func encapsulated() throws -> (ciphertext: [UInt8], secret: [UInt8]) {
        let ciphertext = Hexadecimal.decode(Self.ciphertext.filter { !$0.isWhitespace }) ?? []
        return (ciphertext, try NoiseSteps(crypto: crypto.provider).decapsulate(ciphertext, seed: kemSeed))
    }

    private static let ciphertext = """
        930d229f822d031e0c79821bfad613f20309acc5684b900cd5a1c9e0df3722c8a84d8a61727a7ba080b1581bc7cc23d2
        4f21a9f9b6f70a496bb4ccb002dbdef8c5cb9742aebc6fa851ab186c5ba238da6afaa5fc57b1cfba3b4401a04d892e8e
        7e8255cef6fb57220f78e43d07a2c2d672362319ad3cace32f61f3b1b34dff87ab1531fd4da4da09c9b5e1d82515242c
        c666947d46a04ce604e502a6daa7ab47cfa7cd152d2ba8ebb2326a4dc79443b8809e4cc3c5e3c58a1a2cc2f8bb1f4075
        963b8df11fb4865190360cc07e545524c08453743cb43fb1f80f58348466754f43edabf310a72210f0d22cf3767a667e
        c367e732948e456ee1efcb517249fe96ac567bce0aef1896abc83abff43f0daa257cc639081689b7df4694515b704eb7
        f388eecf012767d2b22b526172cf1a3774cdf81f1dc63be3895380d7162c71421eb4a6439821595ddb1fe074a37afef1
        9c479c56fc9c6d82540c6bca0ef3d886b1bcf878cb7fe68bbe8d66b93703cc10f0234406d796e564f4368cf65ed5fcaf
        25c86bcba5be905c892edc5f592dfacc315c305eec68216815b883c175642baebbfaa30088bcf9cb576d83732000a205
        57bc96b7e1729a8061e2921c4c9f9aa1fbde55a51aa07e90ad64a2488debdd19187780b717b4b3b547c615291b21f773
        aa6b437234d5e3499d8e7b1220a67d80ef266a4aa155eec56c84253c851c478ab94b1c663b3698bb08a37354f2c2a38a
        94b65d545d5726c1f07376ac4c5ce78c75647dcb57e73b838767bb75343ed37fe367003cb946351defe2bb8fc86484f9
        2a64ed609afe6da28bbedcfc69bfa8f823eb7aec9dc2d0b8e25fbf1eab0bbf424293f1436f623b1573253d4042a46021
        28da9cef8176a80652c9c9bb69bfdcb346adc01960cd897fbf0737ff138b5427e2e800ecc1a0d2d52fc13cc5fc6b4c5f
        1f3823293718f3d36acf5b481b4e2d88bbb62044e3beecb83f201dab5bb7a8d6242a5f4522d88f8072ac3520153378ff
        df87307010b82134469d68190b1144dd3bf1cdba035edc3debc8af39bc3531670aaeb8efc2c02827c845326bec3fde72
        1f7bd93e17e75c65e8d2385bf9dc9cb8c8cdac5dd64b6b5c0427f634e6bd027e43ef618661010e632c94226e5b10c897
        a211aba7472bfc2bbf4338b71a714b365360e5eb491bebcedd1debc620948b7c9e6ab5580fbef2503e02a09da940e702
        a2530bb014ff9047772a0590fe1e4a2d87e43ba6ac195d3d17cfbc04a2212da5d4b7dcdd6a4dd299685cf596cbee4102
        ce8a60d6fb3bf5214d3ccc28415885f80c5e6ab729b9c1121a8e8fca272064f5fff74c235776c6fd526b67a1326aeec1
        d35c650a2c4e170cdbad3ddeff271270a55cd75621b4add86df64d48775bbe333ae56c4f34e0c55a779b2c0b7fd29ed6
        7b976ab2c2d8104000f3b1fe0c987ea72c69e5ac1c10c924b82d92c8155d787597e9f200a5233b0adddad70086902583
        ec154119dc43f447448f6f6b8c0718bf35edff20e42ac75721151dc1a5996db3
        """
}

extension Suite {
    /// What an implementation needs for it (Vectors/README.md).
    var features: [String] { (usesAESGCM ? ["suite-aesgcm"] : []) + (isHybrid ? ["mlkem768"] : []) }

    var usesAESGCM: Bool { self == .aesGCM || self == .hybridAESGCM }
}
