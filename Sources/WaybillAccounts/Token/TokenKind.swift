/// What a token is for; one of another kind is refused by its key, its `typ` and its `aud` (RFC 8725, 3.11 and 3.12).
package enum TokenKind: String, CaseIterable, Sendable {
    case access
    case email
    case refresh
    /// Of a mail, for a new password.
    case reset
    /// Of a mail, to the address that an account is to have.
    case newAddress = "new-address"
    /// Of a mail, to the address that an account had: the way back.
    case formerAddress = "former-address"

    /// The header's `typ`.
    var type: String {
        switch self {
        case .access: "at+jwt"
        case .email: "email+jwt"
        case .refresh: "refresh+jwt"
        case .reset: "reset+jwt"
        case .newAddress: "new-address+jwt"
        case .formerAddress: "former-address+jwt"
        }
    }

    /// The claim `aud`.
    var audience: String { "waybill-\(rawValue)" }

    /// How long one holds, in seconds; `nil`: until its log-in ends.
    package var lifetime: Int64? {
        switch self {
        case .access, .reset: 3600
        case .email, .newAddress: 86_400
        case .formerAddress: 7 * 86_400
        case .refresh: nil
        }
    }
}
