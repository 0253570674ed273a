import WaybillEncoding

extension APNSPayload {
    /// Top-level names that are never the caller's.
    private static let reserved = ["aps", "mdm"]

    /// Writes a payload: first what the content writes, then the members of the caller's object.
    ///
    /// - Parameters:
    ///   - pushType: what the payload is for.
    ///   - custom: the caller's object.
    ///   - own: the top-level names that the content writes itself.
    ///   - write: writes the content's members; `aps` is one of them.
    /// - Throws: a refusal of the caller's object.
    init(
        _ pushType: APNSPushType,
        custom: APNSJSON?,
        own: [String] = [],
        _ write: (inout JSONWriter) -> Void
    ) throws(APNSError) {
        var json = JSONWriter()
        json.beginObject()
        write(&json)
        if let custom { json.members(try custom.membersBeside(Self.reserved + own)) }
        json.endObject()
        self.init(bytes: json.bytes, origin: .written(pushType))
    }

    /// Writes a payload of `aps` and the members of the caller's object.
    init(
        aps pushType: APNSPushType,
        custom: APNSJSON?,
        _ write: (inout JSONWriter) -> Void
    ) throws(APNSError) {
        try self.init(pushType, custom: custom) { json in
            json.beginObject("aps")
            write(&json)
            json.endObject()
        }
    }

    /// Writes the members of the caller's object alone, and an empty `aps` when there are none.
    init(onlyCustom custom: APNSJSON?, _ pushType: APNSPushType) throws(APNSError) {
        let members = try custom?.membersBeside(Self.reserved) ?? []
        try self.init(pushType, custom: custom) { json in
            guard members.isEmpty else { return }
            json.beginObject("aps")
            json.endObject()
        }
    }
}

extension APNSJSON {
    /// The text between the braces of the caller's object.
    ///
    /// - Parameter reserved: names that belong to the payload itself.
    /// - Returns: the members, separated by commas; empty when there are none.
    /// - Throws: a refusal of what is no object, or holds a reserved name.
    fileprivate func membersBeside(_ reserved: [String]) throws(APNSError) -> ArraySlice<UInt8> {
        guard let members = (try? JSONReader.members(of: bytes, in: bytes.indices)) ?? nil else {
            throw .invalid("custom", "must be a JSON object: a struct or a dictionary with keys of text")
        }
        for member in members where reserved.contains(member.name) {
            throw .invalid("custom", "must not hold the key \(member.name), which is the payload's own")
        }
        // An object without members may still hold white space.
        return members.isEmpty ? [] : bytes.dropFirst().dropLast()
    }
}
