import WaybillEncoding

extension AudienceMessage {
    /// The body of a dispatch message: the content as it stands, for these tokens.
    ///
    /// - Parameters:
    ///   - lane: over which it goes.
    ///   - tokens: whom it is for.
    ///   - areInstallations: whether they are Firebase installation ids, which FCM alone knows.
    /// - Returns: the same bytes for the same parameters.
    package func dispatchBody(lane: String, tokens: [String], areInstallations: Bool = false) -> [UInt8] {
        var body: [UInt8] = []
        body.reserveCapacity(content.count + 256 + tokens.reduce(0) { $0 + $1.utf8.count + 3 })
        DispatchMessage.appendNames(batchID: id, client: client, lane: lane, to: &body)
        body += content
        body.append(UInt8(ascii: ","))
        if areInstallations { DispatchMessage.appendInstallations(to: &body) }
        DispatchMessage.appendOpening(of: .deviceTokens, to: &body)
        for (position, token) in tokens.enumerated() {
            if position > 0 { body.append(UInt8(ascii: ",")) }
            // FCM's tokens are opaque: nothing says that they have no quotation mark.
            JSONText.appendString(token.utf8, to: &body)
        }
        DispatchMessage.appendClosing(to: &body)
        return body
    }
}
