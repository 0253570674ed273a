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
            if error.kind == .badUTF8 { throw Problem(.badRequest, "the body is not UTF-8, at byte \(error.offset)") }
        }
        throw Problem(.badRequest, "the body is no JSON object")
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
