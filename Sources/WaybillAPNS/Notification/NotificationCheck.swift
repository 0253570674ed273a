import WaybillEncoding

/// Every rule that a notification keeps before it is sent; what APNs would refuse, or drop without a word, ends here.
///
/// Each check returns the value as the wire wants it, or throws a refusal that names the property or the JSON key.
struct NotificationCheck {
    let apnsID: APNSID
    let pushType: APNSPushType

    /// The name of the type, and the types that some credentials cannot send.
    func pushType(usesCertificate: Bool) throws(APNSError) {
        guard HeaderValue.isVisibleASCII(pushType.rawValue) else {
            throw refusal("pushType", "must be visible ASCII, at least one character")
        }
        guard pushType != .location || !usesCertificate else {
            throw refusal("pushType", "location needs a provider token: a certificate cannot send it")
        }
    }

    /// - Returns: the digits in lower case.
    func deviceToken(_ token: String) throws(APNSError) -> [UInt8] {
        let size = token.utf8.count
        guard (2...400).contains(size), size.isMultiple(of: 2) else {
            throw refusal("deviceToken", "has \(size) digits, allowed: 2 to 400, an even number")
        }
        var digits: [UInt8] = []
        digits.reserveCapacity(size)
        for byte in token.utf8 {
            guard Hexadecimal.value(of: byte) != nil else {
                throw refusal("deviceToken", "must be hexadecimal digits and nothing else")
            }
            // Decimal digits have this bit already; on a letter it makes the lower case.
            digits.append(byte | 0x20)
        }
        return digits
    }

    func topic(_ explicit: String?, bundleID: String?) throws(APNSError) -> String {
        if let explicit { return try visible(topic: explicit) }
        guard pushType != .mdm else {
            throw refusal("topic", "is missing: mdm needs the UID in the subject of the MDM push certificate")
        }
        guard let bundleID else {
            throw refusal("topic", "is missing, and the lane has no bundle id to derive it from")
        }
        return try visible(topic: pushType.topic(for: bundleID))
    }

    private func visible(topic: String) throws(APNSError) -> String {
        guard HeaderValue.isVisibleASCII(topic) else {
            throw refusal("topic", "must be visible ASCII without spaces, at least one character")
        }
        return topic
    }

    func priority(_ explicit: APNSPriority?) throws(APNSError) -> Int {
        guard let explicit else { return pushType.defaultPriority }
        switch (explicit, pushType) {
        case (.immediate, .background):
            throw refusal("priority", "is 10, allowed for background: 5 or 1")
        case (.neverWakes, .liveActivity):
            throw refusal("priority", "is 1, allowed for liveactivity: 10 or 5")
        case (.immediate, _), (.powerAware, _), (.neverWakes, _):
            return explicit.rawValue
        default:
            throw refusal("priority", "is \(explicit.rawValue), allowed: 10, 5 or 1")
        }
    }

    func expiration(_ expiration: APNSExpiration) throws(APNSError) -> APNSExpiration {
        guard case .at(let seconds) = expiration else { return expiration }
        if let problem = APNSTimestamp.problem(with: seconds) { throw refusal("expiration", problem) }
        return APNSExpiration(seconds: seconds)
    }

    func collapseID(_ collapseID: String?) throws(APNSError) -> APNSCollapseID {
        guard let collapseID else { return .none }
        let bytes = Array(collapseID.utf8)
        guard (1...64).contains(bytes.count) else {
            throw refusal("collapseID", "has \(bytes.count) bytes, allowed: 1 to 64")
        }
        guard bytes.withUnsafeBytes(HeaderValue.isVisibleASCII) else {
            throw refusal("collapseID", "must be visible ASCII, the characters from ! to ~, without spaces")
        }
        return .explicit(bytes[...])
    }

    /// The size, and what a push type asks of the JSON inside.
    func payload(_ payload: APNSPayload) throws(APNSError) {
        let size = payload.bytes.count
        let limit = pushType.maximumPayloadSize
        guard (1...limit).contains(size) else {
            throw refusal(
                "payload",
                size == 0 ? "is empty" : "has \(size) bytes, allowed for \(pushType.rawValue): up to \(limit)"
            )
        }
        if case .written(pushType) = payload.origin { return }
        guard ReadyPayloadCheck.looksLikeObject(payload.bytes) else {
            throw refusal("payload", "must be a JSON object")
        }
        do {
            switch pushType {
            case .background: try ReadyPayloadCheck.background(payload.bytes)
            case .mdm: try ReadyPayloadCheck.mdm(payload.bytes)
            default: break
            }
        } catch {
            throw refusal(error.field, error.text)
        }
    }

    private func refusal(_ field: String, _ problem: String) -> APNSError {
        .invalid(field, problem, apnsID: apnsID)
    }
}
