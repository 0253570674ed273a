import WaybillEncoding
import WaybillTLS

/// Why a token is refused.
package enum TokenProblem: Error, Hashable, Sendable {
    /// It has not the form of one of ours: too long, no such header, claims that are missing.
    case malformed
    /// Somebody else has signed it, or it is of another kind, or for another installation.
    case foreign
    /// Its time is over.
    case expired
}

/// Reads tokens, and believes none that ``TokenSigner`` has not made (RFC 8725).
///
/// The algorithm is this reader's and not the header's: a header that names another one is refused, as is one with any member
/// besides `alg`, `typ` and `kid`, and a `kid` that nobody knows.
package struct TokenVerifier: Sendable {
    /// Longer ones are not looked at.
    package static let maximumBytes = 4096
    /// How far the clocks of two servers may be apart, in seconds.
    package static let leeway: Int64 = 60

    private let keys: TokenKeys
    private let issuer: String

    /// - Parameters:
    ///   - keys: that sign.
    ///   - issuer: the claim `iss` of this installation.
    package init(keys: TokenKeys, issuer: String) {
        self.keys = keys
        self.issuer = issuer
    }

    /// Reads a token.
    ///
    /// - Parameters:
    ///   - kind: which one is wanted.
    ///   - text: what somebody has shown.
    ///   - now: seconds since 1970.
    /// - Returns: what it says.
    /// - Throws: why it says nothing.
    package func claims(_ kind: TokenKind, _ text: String, now: Int64) throws(TokenProblem) -> TokenClaims {
        guard text.utf8.count <= Self.maximumBytes else { throw .malformed }
        let parts = text.split(separator: ".", omittingEmptySubsequences: false)
        guard parts.count == 3, let header = Base64URL.decode(parts[0]), let payload = Base64URL.decode(parts[1]),
            let code = Base64URL.decode(parts[2]), let names = Self.texts(of: header)
        else { throw .malformed }
        guard names.keys.allSatisfy(["alg", "typ", "kid"].contains), names["alg"] == "HS256", let id = names["kid"]
        else { throw .malformed }
        guard names["typ"] == kind.type, let key = keys.verifying(kind, id: id),
            Self.isSigned(parts[0], parts[1], code, key: key)
        else { throw .foreign }
        return try read(payload, kind, now)
    }

    /// Compares in a time that says nothing of where the codes differ.
    static func isSigned(_ header: Substring, _ payload: Substring, _ code: [UInt8], key: [UInt8]) -> Bool {
        let wanted = HMACSHA256.authenticate(Array("\(header).\(payload)".utf8), key: key)
            .withUnsafeBytes(Array.init)
        guard code.count == wanted.count else { return false }
        return zip(code, wanted).reduce(0) { $0 | ($1.0 ^ $1.1) } == 0
    }

    private func read(_ payload: [UInt8], _ kind: TokenKind, _ now: Int64) throws(TokenProblem) -> TokenClaims {
        guard let members = try? JSONReader.members(of: payload) else { throw .malformed }
        var (texts, numbers): ([String: String], [String: Int64]) = ([:], [:])
        payload.withUnsafeBufferPointer { bytes in
            let reader = JSONReader(bytes)
            for member in members {
                texts[member.name] = reader.string(member)
                numbers[member.name] = reader.integer(member)
            }
        }
        guard texts["iss"] == issuer, texts["aud"] == kind.audience else { throw .foreign }
        guard let subject = texts["sub"], let id = texts["jti"], let issuedAt = numbers["iat"],
            issuedAt <= now + Self.leeway
        else { throw .malformed }
        let expiresAt = numbers["exp"]
        if kind.lifetime != nil {
            guard let expiresAt else { throw .malformed }
            guard now < expiresAt + Self.leeway else { throw .expired }
        }
        return TokenClaims(
            subject: subject,
            username: texts["username"],
            issuedAt: issuedAt,
            expiresAt: expiresAt,
            id: id,
            login: texts["sid"],
            passwordMark: texts["userstring"]
        )
    }

    /// An object of texts alone, each name once.
    private static func texts(of json: [UInt8]) -> [String: String]? {
        guard let members = try? JSONReader.members(of: json) else { return nil }
        return json.withUnsafeBufferPointer { bytes in
            let reader = JSONReader(bytes)
            var texts: [String: String] = [:]
            for member in members {
                guard let text = reader.string(member), texts.updateValue(text, forKey: member.name) == nil else {
                    return nil
                }
            }
            return texts
        }
    }
}
