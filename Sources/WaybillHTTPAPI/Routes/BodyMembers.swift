import HTTPTypes
import WaybillEncoding

/// The members of the JSON object that a body is.
enum BodyMembers {
    /// More faults of one body are not looked for: no route has so many members.
    static let mostFaults = 32

    /// - Returns: in their order; one name may be there twice.
    /// - Throws: ``Problem`` 400 for what is no such object, or no UTF-8.
    static func read(_ bytes: [UInt8]) throws(Problem) -> [JSONReader.Member] {
        do throws(JSONFault) {
            if let members = try JSONReader.members(of: bytes) { return members }
        } catch {
            throw notJSON(error)
        }
        throw Problem(.badRequest, "the body must be a JSON object")
    }

    /// 400 with the mistake and its byte.
    static func notJSON(_ fault: JSONFault) -> Problem {
        Problem(
            .badRequest,
            fault.kind == .badUTF8
                ? "the body is not UTF-8, at byte \(fault.offset)" : "the body is not JSON: \(fault.text)"
        )
    }

    /// Refuses a text with U+0000, which neither the store nor a phone keeps.
    ///
    /// - Parameters:
    ///   - text: the member's.
    ///   - name: the member's, which is known here.
    /// - Throws: ``Problem`` 400.
    static func requireNoNull(_ text: String, _ name: String) throws(Problem) {
        guard text.contains("\0") else { return }
        throw .field(name, "\(name) must not hold the character U+0000")
    }

    /// Refuses a member that nobody can keep as it is.
    ///
    /// - Parameter member: whose name is known here.
    /// - Throws: ``Problem`` 400 where it holds half of a surrogate pair, such as `\ud83d` alone.
    static func requireText(_ member: JSONReader.Member) throws(Problem) {
        guard member.hasLoneSurrogate else { return }
        throw .field(member.name, "\(member.name) \(JSONValue.loneSurrogate)")
    }
}
