import Testing
import WaybillEncoding

@testable import WaybillTLS

/// The vectors of RFC 5869 that are for SHA-256.
@Suite struct HKDFTests {
    struct Vector: Sendable, CustomTestStringConvertible {
        let name: String
        let secret: [UInt8]
        let salt: [UInt8]
        let purpose: [UInt8]
        let key: String

        var testDescription: String { name }
    }

    static let vectors = [
        Vector(
            name: "A.1",
            secret: [UInt8](repeating: 0x0B, count: 22),
            salt: Array(0x00...0x0C),
            purpose: Array(0xF0...0xF9),
            key: "3cb25f25faacd57a90434f64d0362f2a2d2d0a90cf1a5a4c5db02d56ecc4c5bf34007208d5b887185865"
        ),
        Vector(
            name: "A.2",
            secret: Array(0x00...0x4F),
            salt: Array(0x60...0xAF),
            purpose: Array(0xB0...0xFF),
            key: "b11e398dc80327a1c8e7f78c596a49344f012eda2d4efad8a050cc4c19afa97c59045a99cac7827271cb41c65e590e09"
                + "da3275600c2f09b8367793a9aca3db71cc30c58179ec3e87c14c01d5c1f3434f1d87"
        ),
        Vector(
            name: "A.3",
            secret: [UInt8](repeating: 0x0B, count: 22),
            salt: [],
            purpose: [],
            key: "8da4e775a563c18f715f802a063c5a31b8a11f5c5ee1879ec3454e5f3c738d2d9d201395faa4b61a96c8"
        ),
    ]

    @Test(arguments: vectors)
    func vector(vector: Vector) {
        let key = HKDFSHA256.key(
            secret: vector.secret,
            salt: vector.salt,
            purpose: vector.purpose,
            count: vector.key.utf8.count / 2
        )
        #expect(Hexadecimal.text(of: key) == vector.key)
    }
}
