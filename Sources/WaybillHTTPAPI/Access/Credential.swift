import Hummingbird
import WaybillAccounts

/// What a request shows: a key, else a session's cookie.
///
/// A key counts alone, also a bad one beside a good cookie.
enum Credential {
    case key(KeySecret)
    case session(SessionSecret)

    static let noKey = "this has not the form of a key, or there is a typing mistake in it"

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
        guard let secret = KeySecret(String(words[1])) else { throw .keyless(noKey) }
        return secret
    }
}
