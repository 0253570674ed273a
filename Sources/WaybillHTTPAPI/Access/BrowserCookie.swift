import HTTPTypes

/// A cookie that a browser keeps for this server alone: no script reads it, no other site's page makes it travel.
struct BrowserCookie: Sendable {
    enum Shown {
        case none
        /// Two of them: one may be somebody else's.
        case several
        case value(String)
    }

    private let name: String
    private let isProtected: Bool

    /// - Parameters:
    ///   - name: what it is called. With TLS `__Host-` stands before it: no other server of the domain, and nobody without TLS, can
    ///     have set it.
    ///   - isProtected: whether the browser speaks TLS, with this server or with the proxy in front.
    init(_ name: String, isProtected: Bool) {
        self.name = isProtected ? "__Host-\(name)" : name
        self.isProtected = isProtected
    }

    /// The field that gives it to a browser for so many seconds.
    func field(_ value: String, seconds: Int64) -> String {
        "\(name)=\(value); Path=/; Max-Age=\(seconds); HttpOnly; SameSite=Strict" + (isProtected ? "; Secure" : "")
    }

    /// The field that takes it away.
    var removal: String { field("", seconds: 0) }

    /// What a request brings, under the one name.
    func shown(_ fields: HTTPFields) -> Shown {
        let pairs = fields[values: .cookie].flatMap { $0.split(separator: ";") }
        let values = pairs.compactMap { pair -> Substring? in
            let sides = pair.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
            let name = sides[0].drop { $0 == " " }
            guard sides.count == 2, name == self.name else { return nil }
            return sides[1]
        }
        guard let value = values.first else { return .none }
        return values.count == 1 ? .value(String(value)) : .several
    }
}
