import WaybillEncoding
import WaybillTLS

/// The contents of a provider token (a JWT), read but not yet believed.
package struct ProviderToken: Hashable, Sendable {
    /// The header's `kid`.
    package let keyID: String
    /// The claim `iss`.
    package let teamID: String
    /// The claim `iat`, in seconds since 1970.
    package let issuedAt: Int64
    /// What was signed: the first two parts with the point between them.
    package let signedText: [UInt8]
    /// The raw signature, r and s of 32 bytes each.
    package let signature: [UInt8]

    /// Reads an `authorization` header.
    ///
    /// `nil` for anything but `bearer`, a blank and a JWT with `alg` ES256, a `kid`, a text `iss` and an integer `iat`.
    package init?(authorization: ArraySlice<UInt8>) {
        let scheme = authorization.prefix(7)
        guard scheme.count == 7, zip(scheme, "bearer ".utf8).allSatisfy({ $0 == $1 || $0 | 0x20 == $1 }) else {
            return nil
        }
        let parts = authorization.dropFirst(7).split(separator: UInt8(ascii: "."), omittingEmptySubsequences: false)
        guard parts.count == 3,
            let header = Self.object(parts[0]), let claims = Self.object(parts[1]),
            let signature = Base64URL.decode(String(decoding: parts[2], as: UTF8.self)), signature.count == 64,
            header["alg"] == .string("ES256"),
            case .string(let keyID) = header["kid"], !keyID.isEmpty,
            case .string(let teamID) = claims["iss"], !teamID.isEmpty,
            case .integer(let issuedAt) = claims["iat"]
        else { return nil }
        self.keyID = keyID
        self.teamID = teamID
        self.issuedAt = issuedAt
        self.signature = signature
        signedText = Array(
            parts[0].startIndex < parts[1].endIndex ? authorization[parts[0].startIndex..<parts[1].endIndex] : []
        )
    }

    private static func object(_ part: ArraySlice<UInt8>) -> JSONValue? {
        guard let bytes = Base64URL.decode(String(decoding: part, as: UTF8.self)),
            let value = try? JSONParser.parse(bytes), case .object = value
        else { return nil }
        return value
    }
}
