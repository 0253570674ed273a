import HTTPTypes
import Hummingbird
import WaybillEncoding

/// What a request's body says: a JSON object whose members are texts.
///
/// No body is as good as an empty object.
struct BodyText: Sendable {
    private var values: [String: String] = [:]

    /// Reads it.
    ///
    /// - Parameters:
    ///   - request: its body is within the limits.
    ///   - names: those of the members that are known; the body is not looked at if there are none.
    /// - Returns: what it says.
    /// - Throws: ``Problem`` 400 for what is no such object, 415 for what does not say that it is JSON.
    static func read(_ request: Request, allowing names: Set<String>) async throws -> BodyText {
        guard !names.isEmpty else { return BodyText() }
        let body = try await request.body.collect(upTo: APILimits.bodyBytes)
        guard body.readableBytes > 0 else { return BodyText() }
        let type = request.headers[.contentType]?.split(separator: ";").first?.lowercased()
        guard type == "application/json" else {
            throw Problem(.unsupportedMediaType, "a body is JSON here: Content-Type: application/json")
        }
        return try BodyText(Array(body.readableBytesView), allowing: names)
    }

    /// Refuses a body, whatever is in it.
    ///
    /// - Parameters:
    ///   - request: its body is within the limits.
    ///   - words: why, and what to do instead.
    /// - Throws: ``Problem`` 400 where there is one.
    static func refuse(_ request: Request, _ words: String) async throws {
        let body = try await request.body.collect(upTo: APILimits.bodyBytes)
        guard body.readableBytes == 0 else { throw Problem(.badRequest, words) }
    }

    private init() {}

    /// Reads the bytes of an object.
    init(_ bytes: [UInt8], allowing names: Set<String>) throws(Problem) {
        guard let members = try? JSONReader.members(of: bytes) else {
            throw Problem(.badRequest, "the body is no JSON object")
        }
        try bytes.withUnsafeBufferPointer { bytes throws(Problem) in
            let reader = JSONReader(bytes)
            for member in members {
                guard names.contains(member.name) else {
                    let known = names.sorted().joined(separator: ", ")
                    throw Problem(.badRequest, "a member of the body is not known here; known: \(known)")
                }
                guard let text = reader.string(member), !text.isEmpty, !text.contains("\0") else {
                    throw Problem(.badRequest, "\(member.name) is a text, and not empty")
                }
                guard values.updateValue(text, forKey: member.name) == nil else {
                    throw Problem(.badRequest, "\(member.name) is there twice")
                }
            }
        }
    }

    /// A member's text; `nil` if it is not there.
    func value(_ name: String) -> String? { values[name] }
}
