import HTTPTypes
import WaybillEncoding

/// The JSON object of a request's body; members that nobody asks for are not looked at.
struct NotifireBody: Sendable {
    private let bytes: [UInt8]
    private let members: [String: JSONReader.Member]

    /// - Throws: ``Problem`` 400 for what is no JSON object, and for a member that is there twice.
    init(_ bytes: [UInt8]) throws(Problem) {
        var members: [String: JSONReader.Member] = [:]
        for member in try BodyMembers.read(bytes) {
            guard members.updateValue(member, forKey: member.name) == nil else {
                throw Problem(.badRequest, "a member of the body is there twice")
            }
        }
        self.bytes = bytes
        self.members = members
    }

    /// The text of a member that must be there.
    ///
    /// - Throws: ``Problem`` 400 where it is missing, or no text, or holds a NUL.
    func text(_ name: String) throws(Problem) -> String {
        guard let member = members[name] else { throw Problem(.badRequest, "the body has no \(name)") }
        try BodyMembers.requireText(member)
        let text = bytes.withUnsafeBufferPointer { JSONReader($0).string(member) }
        guard let text else { throw Problem(.badRequest, "\(name) must be a text") }
        try BodyMembers.requireNoNull(text, name)
        return text
    }

    /// The text of a member that may be missing, or null.
    ///
    /// - Throws: ``Problem`` 400 for what is no text, or holds a NUL.
    func optionalText(_ name: String) throws(Problem) -> String? { isSaid(name) ? try text(name) : nil }

    /// A member that must be there, and is true or false.
    ///
    /// - Throws: ``Problem`` 400.
    func flag(_ name: String) throws(Problem) -> Bool {
        switch json(name) {
        case Array("true".utf8): return true
        case Array("false".utf8): return false
        default: throw Problem(.badRequest, "\(name) must be true or false")
        }
    }

    /// A member that must be there, and is a whole number.
    ///
    /// - Throws: ``Problem`` 400.
    func integer(_ name: String) throws(Problem) -> Int64 {
        guard let json = json(name), let number = Int64(String(decoding: json, as: UTF8.self)) else {
            throw Problem(.badRequest, "\(name) must be a whole number")
        }
        return number
    }

    /// An object that must be there.
    ///
    /// - Throws: ``Problem`` 400.
    func object(_ name: String) throws(Problem) -> NotifireBody {
        guard let json = json(name) else { throw Problem(.badRequest, "the body has no \(name)") }
        return try NotifireBody(json)
    }

    /// An object that may be missing, or null.
    ///
    /// - Throws: ``Problem`` 400 for anything else.
    func optionalObject(_ name: String) throws(Problem) -> NotifireBody? { isSaid(name) ? try object(name) : nil }

    /// The objects of a body that is an array of them.
    ///
    /// - Throws: ``Problem`` 400.
    static func list(_ bytes: [UInt8]) throws(Problem) -> [NotifireBody] {
        if bytes.first(where: { !" \t\r\n".utf8.contains($0) }) == UInt8(ascii: "{") {
            throw Problem(.badRequest, "the body must be a JSON array")
        }
        let elements: [Range<Int>]
        do throws(JSONFault) {
            elements = try Self.elements(bytes)
        } catch {
            throw BodyMembers.notJSON(error)
        }
        return try elements.map { range throws(Problem) in try NotifireBody(Array(bytes[range])) }
    }

    private static func elements(_ bytes: [UInt8]) throws(JSONFault) -> [Range<Int>] {
        try bytes.withUnsafeBufferPointer { buffer throws(JSONFault) in
            var scanner = JSONScanner(buffer, maxDepth: JSONScanner.depthCeiling)
            var ranges: [Range<Int>] = []
            try scanner.beginArray()
            while try scanner.nextElement(isFirst: ranges.isEmpty) { ranges.append(try scanner.value().range) }
            try scanner.finish()
            return ranges
        }
    }

    /// A member's value as it stands; `nil` where it is missing.
    private func json(_ name: String) -> [UInt8]? { members[name].map { Array(bytes[$0.value]) } }

    private func isSaid(_ name: String) -> Bool { json(name).map { $0 != Array("null".utf8) } ?? false }
}
