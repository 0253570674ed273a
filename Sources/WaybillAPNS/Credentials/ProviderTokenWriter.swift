import WaybillEncoding
import WaybillTLS

/// Writes the JWT that APNs asks for: ES256, `kid`, `iss` and a numeric `iat`.
///
/// Source: Apple, "Establishing a token-based connection to APNs"; RFC 7515, RFC 7519.
struct ProviderTokenWriter {
    private let header: String
    private let teamID: String

    /// - Throws: ``APNSSetupError`` with ``APNSSetupError/Code/credentials`` for an id that is not ten letters and digits.
    init(teamID: String, keyID: String) throws(APNSSetupError) {
        for (name, id) in [("team", teamID), ("key", keyID)] where !Self.isIdentifier(id) {
            throw APNSSetupError(.credentials, "the \(name) id must be ten letters and digits")
        }
        self.teamID = teamID
        header = Base64URL.encode(Array(#"{"alg":"ES256","kid":"\#(keyID)"}"#.utf8))
    }

    /// The part that is signed.
    func unsigned(issuedAt: Int64) -> [UInt8] {
        let claims = Base64URL.encode(Array(#"{"iss":"\#(teamID)","iat":\#(issuedAt)}"#.utf8))
        return Array("\(header).\(claims)".utf8)
    }

    /// The value of `authorization`.
    ///
    /// - Parameters:
    ///   - unsigned: the part that was signed.
    ///   - signature: r then s.
    /// - Returns: the value, or what is wrong with the signature.
    static func authorization(_ unsigned: [UInt8], signature: [UInt8]) -> Result<[UInt8], SignatureProblem> {
        guard signature.count == 64 else {
            return .failure(SignatureProblem(count: signature.count, isASN1: signature.first == 0x30))
        }
        return .success(Array("bearer ".utf8) + unsigned + Array(".\(Base64URL.encode(signature))".utf8))
    }

    /// A signature that is not r and s.
    struct SignatureProblem: Error, CustomStringConvertible {
        let count: Int
        let isASN1: Bool

        var description: String {
            "the signature has \(count) bytes, and ES256 wants 64, r then s"
                + (isASN1 ? "; it looks like the ASN.1 form, which has to be unwrapped" : "")
        }
    }

    /// Apple's ids; they go into JSON unescaped.
    private static func isIdentifier(_ text: String) -> Bool {
        text.utf8.count == 10
            && text.utf8.allSatisfy { byte in
                switch byte {
                case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
                    UInt8(ascii: "0")...UInt8(ascii: "9"):
                    true
                default: false
                }
            }
    }
}
