import Hummingbird
import WaybillAccounts

/// What a request shows: a key, else a session's cookie.
///
/// A key counts alone, also a bad one beside a good cookie.
enum Credential {
    case key(KeySecret)
    case session(SessionSecret)

    /// What is said of a text that is no whole key: a typing mistake is told by a key's checksum, without the store.
    ///
    /// - Parameters:
    ///   - text: what is shown.
    ///   - otherwise: what is said of what does not begin as a key does.
    /// - Returns: a sentence without a full stop.
    static func fault(of text: String, otherwise: String = "this has not the form of a key") -> String {
        isKey(text) ? "this is not a whole key: there is a typing mistake in it" : otherwise
    }

    /// Whether a text begins as keys do, and so is no access token.
    static func isKey(_ text: String) -> Bool { text.hasPrefix("wbk_") }

    /// - Throws: ``Problem`` 401 for none, for several, and for what has not the form of one.
    init(_ request: Request, _ cookie: SessionCookie) throws(Problem) {
        let fields = request.headers[values: .authorization]
        guard fields.isEmpty else {
            self = .key(try Self.key(fields))
            return
        }
        switch cookie.shown(request.headers) {
        case .none: throw .keyless("send a key as: Authorization: Bearer wbk_live_…")
        case .unreadable: throw .keyless("this is no session's cookie; log in again")
        case .secret(let secret): self = .session(secret)
        }
    }

    private static func key(_ fields: [String]) throws(Problem) -> KeySecret {
        let words = fields[0].split(separator: " ", omittingEmptySubsequences: true)
        guard fields.count == 1, words.count == 2, words[0].lowercased() == "bearer" else {
            throw .keyless("send a key as: Authorization: Bearer wbk_live_…")
        }
        guard let secret = KeySecret(String(words[1])) else { throw .keyless(fault(of: String(words[1]))) }
        return secret
    }
}
