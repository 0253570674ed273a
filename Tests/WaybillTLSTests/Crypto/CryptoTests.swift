import Foundation
import Testing
import WaybillEncoding

@testable import WaybillTLS

struct CryptoTests {
    /// FIPS 180-4 examples.
    @Test(arguments: [
        ("", "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"),
        ("abc", "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"),
        (
            "abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq",
            "248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1"
        ),
    ])
    func digestsMatchTheStandard(text: String, digest: String) {
        #expect(SHA256Hasher.digest(of: Array(text.utf8)).hexadecimal == digest)
        var hasher = SHA256Hasher()
        for byte in text.utf8 { hasher.update([byte]) }
        #expect(hasher.finalize().hexadecimal == digest)
    }

    /// RFC 4231, test cases 1, 2 and 6.
    @Test(arguments: [
        (
            [UInt8](repeating: 0x0B, count: 20), "Hi There",
            "b0344c61d8db38535ca8afceaf0bf12b881dc200c9833da726e9376c2e32cff7"
        ),
        (
            Array("Jefe".utf8), "what do ya want for nothing?",
            "5bdcc146bf60754e6a042426089575c75a003f089d2739839dec58b964ec3843"
        ),
        (
            [UInt8](repeating: 0xAA, count: 131), "Test Using Larger Than Block-Size Key - Hash Key First",
            "60e431591ee0b67f0d8a26aacbf5b77f8e0bc6213728c5140546040f0ee37f54"
        ),
    ])
    func authenticationCodesMatchTheStandard(key: [UInt8], message: String, code: String) {
        #expect(HMACSHA256.authenticate(Array(message.utf8), key: key).hexadecimal == code)
    }

    @Test func signaturesVerifyAndAlteredOnesDoNot() throws {
        let key = try ES256PrivateKey(pem: ES256PrivateKey.generate().pem)
        let message = Array("header.claims".utf8)
        for _ in 0..<50 {
            var signature = try key.sign(message)
            #expect(signature.count == 64)
            #expect(key.publicKey.isValid(signature: signature, for: message))
            #expect(!key.publicKey.isValid(signature: signature, for: message + [0]))
            signature[40] ^= 1
            #expect(!key.publicKey.isValid(signature: signature, for: message))
        }
        let stranger = try ES256PrivateKey.generate()
        #expect(try !stranger.publicKey.isValid(signature: key.sign(message), for: message))
        #expect(try ES256PublicKey(pem: key.publicKey.pem).isValid(signature: key.sign(message), for: message))
        #expect(!key.publicKey.isValid(signature: [1, 2, 3], for: message))
    }

    @Test func anotherCurveAndOtherBytesAreRefused() throws {
        let authority = try TestAuthority()
        try authority.makeKey("p384.pem", curve: "secp384r1")
        let p384 = try [UInt8](Data(contentsOf: URL(fileURLWithPath: authority.path("p384.pem"))))
        #expect(try #require(throws: TLSError.self) { try ES256PrivateKey(pem: p384) }.code == .notP256)
        for bytes in [[], Array("-----BEGIN PRIVATE KEY-----\nAAAA\n-----END PRIVATE KEY-----\n".utf8)] {
            #expect(try #require(throws: TLSError.self) { try ES256PrivateKey(pem: bytes) }.code == .notAKey)
        }
        #expect(try #require(throws: TLSError.self) { try ES256PublicKey(pem: p384) }.code == .notAKey)
    }

    /// Such a key signs, and nobody accepts it.
    @Test func aKeyWithThePublicHalfOfAnotherIsRefused() throws {
        func content(_ key: ES256PrivateKey) throws -> Data {
            let lines = String(decoding: key.pem, as: UTF8.self).split(separator: "\n")
            return try #require(Data(base64Encoded: lines.filter { !$0.hasPrefix("-") }.joined()))
        }
        // PKCS #8 ends in the public point, 65 bytes (RFC 5915 §3).
        let mixed = try content(.generate()).dropLast(65) + content(.generate()).suffix(65)
        let pem = "-----BEGIN PRIVATE KEY-----\n\(mixed.base64EncodedString())\n-----END PRIVATE KEY-----\n"
        let error = try #require(throws: TLSError.self) { try ES256PrivateKey(pem: Array(pem.utf8)) }
        #expect(error.code == .notAKey)
        #expect(error.description.contains("two halves"))
    }

    @Test func anEncryptedKeyIsRefusedInsteadOfAsked() throws {
        let authority = try TestAuthority()
        try authority.makeKey("secret.pem", curve: "prime256v1", password: "waybill")
        let pem = try [UInt8](Data(contentsOf: URL(fileURLWithPath: authority.path("secret.pem"))))
        #expect(try #require(throws: TLSError.self) { try ES256PrivateKey(pem: pem) }.code == .notAKey)
    }

    /// RFC 7515 §A.3: a signature that another implementation made.
    @Test func aSignatureOfTheStandardVerifies() throws {
        // The JWK's x and y behind the fixed head of a P-256 SubjectPublicKeyInfo (RFC 5480 §2).
        let pem = """
            -----BEGIN PUBLIC KEY-----
            MFkwEwYHKoZIzj0CAQYIKoZIzj0DAQcDQgAEf83OJ3D2xF1Bg8vub9tLe1gHMzV7
            6e8Tus9uPHvRVEXH8UTNG72bfocs3+257rn0s2ldbqkLJK2KRiMohYjlrQ==
            -----END PUBLIC KEY-----
            """
        let signed =
            "eyJhbGciOiJFUzI1NiJ9."
            + "eyJpc3MiOiJqb2UiLA0KICJleHAiOjEzMDA4MTkzODAsDQogImh0dHA6Ly9leGFtcGxlLmNvbS9pc19yb290Ijp0cnVlfQ"
        let signature = try #require(
            Base64URL.decode("DtEhU3ljbEg8L38VWAfUAqOyKAM6-Xx-F4GawxaepmXFCgfTjDxw5djxLa8ISlSApmWQxfKTUJqPP3-Kg6NU1Q")
        )
        #expect(try ES256PublicKey(pem: Array(pem.utf8)).isValid(signature: signature, for: Array(signed.utf8)))
    }
}
