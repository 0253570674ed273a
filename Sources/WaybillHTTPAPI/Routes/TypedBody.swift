import HTTPTypes
import Hummingbird
import WaybillEncoding

/// The JSON object of a request's body, whose members are texts, numbers and objects; each stands as the caller wrote it.
struct TypedBody: Sendable {
    /// The whole body.
    let bytes: [UInt8]
    /// What is wrong with members, whatever the route makes of the others: ``FieldChecks`` begin with it.
    let faults: [Problem]
    private let members: [String: JSONReader.Member]

    /// Reads it.
    ///
    /// - Parameters:
    ///   - request: its body is within the limits.
    ///   - names: those of the members that are known.
    /// - Returns: what it says.
    /// - Throws: ``Problem`` 400 for what is no such object, 415 for what does not say that it is JSON.
    static func read(_ request: Request, allowing names: Set<String>) async throws -> TypedBody {
        let body = try await request.body.collect(upTo: APILimits.bodyBytes)
        try JSONMediaType.require(request)
        return try TypedBody(Array(body.readableBytesView), allowing: names)
    }

    init(_ bytes: [UInt8], allowing names: Set<String>) throws(Problem) {
        var members: [String: JSONReader.Member] = [:]
        var faults: [Problem] = []
        for member in try BodyMembers.read(bytes) where faults.count < BodyMembers.mostFaults {
            do throws(Problem) {
                guard names.contains(member.name) else { throw .unknownMember(member.name, among: names) }
                guard members.updateValue(member, forKey: member.name) == nil else {
                    throw .field(member.name, "\(member.name) is there twice")
                }
                try BodyMembers.requireText(member)
            } catch {
                faults.append(error)
            }
        }
        self.bytes = bytes
        self.faults = faults
        self.members = members
    }

    /// The text of a member; `nil` where it is missing, or null.
    ///
    /// - Parameters:
    ///   - name: the member's.
    ///   - limit: how many bytes it has at the most; one that is there is not empty.
    /// - Returns: the text.
    /// - Throws: ``Problem`` 400.
    func text(_ name: String, limit: Int = 4096) throws(Problem) -> String? {
        guard let member = said(name) else { return nil }
        let text = bytes.withUnsafeBufferPointer { JSONReader($0).string(member) }
        guard let text, !text.isEmpty else { throw .field(name, "\(name) must be a text that is not empty") }
        try BodyMembers.requireNoNull(text, name)
        guard text.utf8.count <= limit else {
            throw .field(name, "\(name) has \(text.utf8.count) bytes, and at most \(limit) are taken")
        }
        return text
    }

    /// A member that is a whole number; `nil` where it is missing, or null.
    ///
    /// - Throws: ``Problem`` 400.
    func integer(_ name: String, in range: ClosedRange<Int64>) throws(Problem) -> Int64? {
        guard let member = said(name) else { return nil }
        let number = bytes.withUnsafeBufferPointer { JSONReader($0).integer(member) }
        guard let number, range.contains(number) else {
            throw .field(name, "\(name) must be a whole number from \(range.lowerBound) to \(range.upperBound)")
        }
        return number
    }

    /// A member that is an object, as it stands; `nil` where it is missing, or null.
    ///
    /// - Throws: ``Problem`` 400, also where a name is there twice in it.
    func object(_ name: String) throws(Problem) -> [UInt8]? {
        guard let member = said(name) else { return nil }
        let json = Array(bytes[member.value])
        guard json.first == UInt8(ascii: "{") else { throw .field(name, "\(name) must be an object") }
        if let twice = JSONReader.repeatedName(in: json) { throw .field(name, "\(name) has \(twice) twice") }
        guard JSONReader.hasFiniteNumbers(json) else {
            throw .field(name, "\(name) has a number that no 64-bit floating-point number holds")
        }
        return json
    }

    private func said(_ name: String) -> JSONReader.Member? {
        members[name].flatMap { bytes[$0.value].elementsEqual("null".utf8) ? nil : $0 }
    }
}
