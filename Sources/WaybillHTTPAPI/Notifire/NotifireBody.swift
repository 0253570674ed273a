import HTTPTypes
import WaybillEncoding

/// The JSON object of a request's body; members that nobody asks for are not looked at.
struct NotifireBody: Sendable {
    private let bytes: [UInt8]
    private let members: [String: JSONReader.Member]

    /// - Throws: ``Problem`` 400 for what is no JSON object, and for a member that is there twice.
    init(_ bytes: [UInt8]) throws(Problem) {
        guard String(validating: bytes, as: UTF8.self) != nil, let list = try? JSONReader.members(of: bytes) else {
            throw Problem(.badRequest, "the body is no JSON object")
        }
        var members: [String: JSONReader.Member] = [:]
        for member in list {
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
        let text = bytes.withUnsafeBufferPointer { JSONReader($0).string(member) }
        guard let text, !text.contains("\0") else { throw Problem(.badRequest, "\(name) is a text") }
        return text
    }
}
