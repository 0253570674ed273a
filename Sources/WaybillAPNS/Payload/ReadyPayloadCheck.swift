import WaybillEncoding

/// Looks into ready JSON for the push types whose rules lie in it, without altering a byte.
///
/// Source: Apple, "Pushing background updates to your app", "Sending MDM commands to a device".
enum ReadyPayloadCheck {
    /// What is wrong with a payload, by its JSON key.
    struct Problem: Error, Hashable {
        let field: String
        let text: String
    }

    /// Whether a text begins and ends as an object does; no more of it is read.
    static func looksLikeObject(_ bytes: [UInt8]) -> Bool {
        // The white space of RFC 8259 §2.
        func isText(_ byte: UInt8) -> Bool { byte != 0x20 && byte != 0x09 && byte != 0x0A && byte != 0x0D }
        return bytes.first(where: isText) == UInt8(ascii: "{") && bytes.last(where: isText) == UInt8(ascii: "}")
    }

    /// A background push has `content-available` and nothing that a user sees or hears.
    static func background(_ bytes: [UInt8]) throws(Problem) {
        let aps = try members(of: "aps", in: bytes)
        for key in ["alert", "badge", "sound"] where aps.contains(where: { $0.name == key }) {
            throw Problem(field: "aps.\(key)", text: "must not be in a background push")
        }
        let flags = aps.filter { $0.name == "content-available" }
        guard flags.count == 1 else {
            let problem = flags.isEmpty ? "is missing: a background push needs it to be 1" : "appears twice"
            throw Problem(field: "aps.content-available", text: problem)
        }
        // Apple's text has 1 alone; `true` is what an encoder makes of a flag.
        guard ["1", "true"].contains(where: { bytes[flags[0].value].elementsEqual($0.utf8) }) else {
            throw Problem(field: "aps.content-available", text: "must be 1 in a background push")
        }
    }

    /// An MDM push has a top-level `mdm` and no `aps`.
    static func mdm(_ bytes: [UInt8]) throws(Problem) {
        let names = try topLevel(of: bytes).map(\.name)
        guard !names.contains("aps") else { throw Problem(field: "aps", text: "must not be in an mdm push") }
        guard names.contains("mdm") else { throw Problem(field: "mdm", text: "is missing in an mdm push") }
    }

    private static func members(of name: String, in bytes: [UInt8]) throws(Problem) -> [JSONReader.Member] {
        let found = try topLevel(of: bytes).filter { $0.name == name }
        guard found.count < 2 else { throw Problem(field: name, text: "appears twice") }
        // A text that has been checked holds no fault.
        guard let value = found.first?.value, let members = try? JSONReader.members(of: bytes, in: value) else {
            throw Problem(field: name, text: found.isEmpty ? "is missing" : "must be a JSON object")
        }
        return members
    }

    private static func topLevel(of bytes: [UInt8]) throws(Problem) -> [JSONReader.Member] {
        let members: [JSONReader.Member]?
        do {
            members = try JSONReader.members(of: bytes)
        } catch {
            throw Problem(field: "payload", text: "is no JSON from byte \(error.offset) on")
        }
        guard let members else { throw Problem(field: "payload", text: "must be a JSON object") }
        return members
    }
}
