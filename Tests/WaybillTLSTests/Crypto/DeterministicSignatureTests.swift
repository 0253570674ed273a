import Testing
import WaybillEncoding
import WaybillTLS

@Suite("Deterministic signatures")
struct DeterministicSignatureTests {
    /// The P-256 key of RFC 6979 A.2.5, in the older EC form without its public half.
    private static func key() throws -> ES256PrivateKey {
        let number = bytes("C9AFA9D845BA75166B5C215767B1D6934E50C3DB36E89B127B8A622B120F6721")
        let der = bytes("30310201010420") + number + bytes("A00A06082A8648CE3D030107")
        let text = "-----BEGIN EC PRIVATE KEY-----\n\(Base64.encode(der))\n-----END EC PRIVATE KEY-----\n"
        return try ES256PrivateKey(pem: Array(text.utf8))
    }

    private static func bytes(_ hexadecimal: String) -> [UInt8] {
        let digits = Array(hexadecimal.utf8)
        return stride(from: 0, to: digits.count, by: 2).map {
            UInt8(String(decoding: digits[$0...($0 + 1)], as: UTF8.self), radix: 16)!
        }
    }

    @Test(
        "The vectors of RFC 6979 A.2.5, with SHA-256",
        arguments: [
            (
                "sample", "EFD48B2AACB6A8FD1140DD9CD45E81D69D2C877B56AAF991C34D0EA84EAF3716",
                "F7CB1C942D657C41D436C7A1B6E29F65F3E900DBB9AFF4064DC4AB2F843ACDA8"
            ),
            (
                "test", "F1ABB023518351CD71D881567B1EA663ED3EFCF6C5132B354F28D3B0B7D38367",
                "019F4113742A2B14BD25926B49C649155F267E60D3814B4C0CC84250E46F0083"
            ),
        ]
    )
    func vectors(message: String, r: String, s: String) throws {
        let signature = try Self.key().sign(Array(message.utf8))
        #expect(signature == Self.bytes(r) + Self.bytes(s))
    }

    @Test("Other keys and messages: the same twice, different for each, and valid by OpenSSL's own judgement")
    func others() throws {
        var seen: Set<[UInt8]> = []
        for _ in 0..<8 {
            let key = try ES256PrivateKey.generate()
            let copy = try ES256PrivateKey(pem: key.pem)
            for size in [0, 1, 31, 32, 33, 1000] {
                let message = (0..<size).map { UInt8(truncatingIfNeeded: $0) }
                let signature = try key.sign(message)
                #expect(try copy.sign(message) == signature)
                #expect(key.publicKey.isValid(signature: signature, for: message))
                #expect(!key.publicKey.isValid(signature: signature, for: message + [0]))
                #expect(seen.insert(signature).inserted)
            }
        }
    }

    @Test("A key's digest is its own, whatever form it was read from")
    func digest() throws {
        let key = try ES256PrivateKey.generate()
        #expect(try ES256PrivateKey(pem: key.pem).publicKey.digest == key.publicKey.digest)
        #expect(try ES256PublicKey(pem: key.publicKey.pem).digest == key.publicKey.digest)
        #expect(try ES256PrivateKey.generate().publicKey.digest != key.publicKey.digest)
    }
}
