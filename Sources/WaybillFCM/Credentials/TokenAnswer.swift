import WaybillEncoding
package import WaybillPushTransport

/// What a token endpoint answered.
package enum TokenAnswer: Hashable, Sendable {
    /// An access token, and for how many seconds it holds.
    case token(String, life: Int64)
    /// None: by what is to be done about it, and for a person. Tried again in any case, for keys and clocks are put right.
    case refused(PushObstacle.Kind, String)

    /// What a life is taken for that is not said.
    private static let usualLife: Int64 = 3600

    /// Reads an answer.
    ///
    /// - Parameters:
    ///   - status: the HTTP status.
    ///   - body: as far as it is kept.
    package init(status: Int, body: [UInt8]) {
        let members = (try? JSONReader.members(of: body)) ?? []
        func text(_ name: String) -> String? {
            guard let member = members.first(where: { $0.name == name }),
                body[member.value.lowerBound] == UInt8(ascii: "\"")
            else { return nil }
            var text: [UInt8] = []
            body[(member.value.lowerBound + 1)..<(member.value.upperBound - 1)].withUnsafeBufferPointer {
                JSONText.appendUnescaped($0, to: &text)
            }
            return String(decoding: text, as: UTF8.self)
        }
        if status == 200 {
            self = Self.sale(text("access_token"), type: text("token_type")) {
                members.first { $0.name == "expires_in" }.map { String(decoding: body[$0.value], as: UTF8.self) }
            }
            return
        }
        let description = text("error_description")
        switch (status, text("error")) {
        case (401, nil):
            self = .refused(.key, "the token endpoint refuses the key: \(status)")
        case (429, _), (500..., _), (_, nil):
            self = .refused(.token, "the token endpoint answered \(status)")
        case (_, "invalid_grant"?) where description?.contains("iat and exp") == true:
            self = .refused(.clock, "the token endpoint refuses the time of this machine's clock")
        case (_, let error?):
            // A word of the other side's, cut so that nothing large gets into a log.
            self = .refused(.key, "the token endpoint refuses the key: \(error.prefix(64))")
        }
    }

    private static func sale(_ token: String?, type: String?, _ life: () -> String?) -> TokenAnswer {
        guard let token, (1...8192).contains(token.utf8.count), token.utf8.allSatisfy({ (0x21...0x7E).contains($0) })
        else { return .refused(.token, "the token endpoint answered without a token") }
        if let type, type.lowercased() != "bearer" {
            return .refused(.token, "the token endpoint sold a token of another type than Bearer")
        }
        guard let text = life() else { return .token(token, life: usualLife) }
        let digits = text.hasPrefix("\"") ? String(text.dropFirst().dropLast()) : text
        return .token(token, life: Int64(digits).map { min(max($0, 1), 86_400) } ?? usualLife)
    }
}
