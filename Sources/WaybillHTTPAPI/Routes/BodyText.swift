import HTTPTypes
import Hummingbird
import WaybillEncoding

/// What a request's body says: a JSON object whose members are texts, lists of words, true or false, and what a route reads
/// itself.
///
/// No body is as good as an empty object. Nothing of a body that has faults can be had: they are thrown, all at once, with
/// those that the route finds.
struct BodyText: Sendable {
    /// What is there of the members; one that has a fault is missing.
    struct Members: Sendable {
        fileprivate var values: [String: String] = [:]
        fileprivate var lists: [String: [String]] = [:]
        fileprivate var flags: [String: Bool] = [:]
        fileprivate var others: [String: [UInt8]] = [:]

        /// A member's text; `nil` if it is not there.
        func value(_ name: String) -> String? { values[name] }

        /// A member's text, which must be there.
        ///
        /// - Throws: ``Problem`` 400.
        func text(_ name: String) throws(Problem) -> String {
            guard let text = values[name] else { throw .field(name, "the body has no \(name)") }
            return text
        }

        /// A member's words; `nil` if it is not there.
        func list(_ name: String) -> [String]? { lists[name] }

        /// Whether a member is true; false if it is not there.
        func flag(_ name: String) -> Bool { flags[name] ?? false }

        /// What a member is that a route reads itself; `nil` if it is not there.
        func json(_ name: String) -> [UInt8]? { others[name] }
    }

    private var members = Members()
    /// What is wrong with members, whatever the route makes of the others.
    private var faults: [Problem] = []

    /// Reads it.
    ///
    /// - Parameters:
    ///   - request: its body is within the limits.
    ///   - names: those of the members that are known; the body is not looked at if there are none.
    ///   - lists: those of them that are lists of words.
    ///   - flags: those of them that are true or false.
    ///   - others: those of them that are kept as they stand.
    /// - Returns: what it says.
    /// - Throws: ``Problem`` 400 for what is no such object, 415 for what does not say that it is JSON.
    static func read(
        _ request: Request,
        allowing names: Set<String>,
        lists: Set<String> = [],
        flags: Set<String> = [],
        others: Set<String> = []
    ) async throws -> BodyText {
        guard !names.isEmpty else { return BodyText() }
        let body = try await request.body.collect(upTo: APILimits.bodyBytes)
        guard body.readableBytes > 0 else { return BodyText() }
        try JSONMediaType.require(request)
        return try BodyText(
            Array(body.readableBytesView),
            allowing: names,
            lists: lists,
            flags: flags,
            others: others
        )
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

    /// Reads the bytes of an object; what is wrong with its members is kept.
    init(
        _ bytes: [UInt8],
        allowing names: Set<String>,
        lists listNames: Set<String> = [],
        flags flagNames: Set<String> = [],
        others otherNames: Set<String> = []
    ) throws(Problem) {
        let found = try BodyMembers.read(bytes)
        bytes.withUnsafeBufferPointer { bytes in
            let reader = JSONReader(bytes)
            for member in found where faults.count < BodyMembers.mostFaults {
                do throws(Problem) {
                    guard names.contains(member.name) else { throw .unknownMember(member.name, among: names) }
                    try BodyMembers.requireText(member)
                    let value = bytes[member.value]
                    if otherNames.contains(member.name) {
                        try Self.put(Array(value), &members.others, member.name)
                    } else if listNames.contains(member.name) {
                        try Self.put(Self.words(value), &members.lists, member.name, orElse: "must be a list of words")
                    } else if flagNames.contains(member.name) {
                        let flag = Bool(String(decoding: value, as: UTF8.self))
                        try Self.put(flag, &members.flags, member.name, orElse: "must be true or false")
                    } else {
                        let text = reader.string(member).flatMap { $0.isEmpty ? nil : $0 }
                        if let text { try BodyMembers.requireNoNull(text, member.name) }
                        try Self.put(text, &members.values, member.name, orElse: "must be a text that is not empty")
                    }
                } catch {
                    faults.append(error)
                }
            }
        }
    }

    /// Reads what a route needs, and refuses all that is wrong at once.
    ///
    /// - Parameter read: reads every member by the checks, which note what it refuses; `nil` where that is any.
    /// - Returns: what it has read.
    /// - Throws: ``Problem`` 400 with each member that is wrong.
    func form<Form>(_ read: (Members, inout FieldChecks) -> Form?) throws(Problem) -> Form {
        var checks = FieldChecks(faults)
        let form = read(members, &checks)
        try checks.require()
        guard let form else { throw checks.problem }
        return form
    }

    /// A text that must be there, of a body that needs no other member.
    ///
    /// - Parameters:
    ///   - name: the member's.
    ///   - read: reads the text.
    /// - Returns: what it has read.
    /// - Throws: ``Problem`` 400 with each member that is wrong.
    func text<Value>(_ name: String, _ read: (String) throws(Problem) -> Value) throws(Problem) -> Value {
        try form { members, checks in
            checks.read(name) { () throws(Problem) in try read(members.text(name)) }
        }
    }

    /// The same text as it is.
    func text(_ name: String) throws(Problem) -> String { try text(name) { $0 } }

    /// A text that may be missing.
    ///
    /// - Throws: ``Problem`` 400 with each member that is wrong.
    func value(_ name: String) throws(Problem) -> String? { try form { members, _ in .some(members.value(name)) } }

    /// Keeps a member that is there once.
    ///
    /// - Parameters:
    ///   - value: `nil` where it is none.
    ///   - kept: the members of its kind.
    ///   - name: its own.
    ///   - words: what it must be.
    /// - Throws: ``Problem`` 400.
    private static func put<Value>(
        _ value: Value?,
        _ kept: inout [String: Value],
        _ name: String,
        orElse words: String = ""
    ) throws(Problem) {
        guard let value else { throw .field(name, "\(name) \(words)") }
        guard kept.updateValue(value, forKey: name) == nil else { throw .field(name, "\(name) is there twice") }
    }

    /// The words of a list that is sound JSON, 32 at the most; `nil` for anything else, as nothing here has escapes or commas in it.
    private static func words(_ value: some Collection<UInt8>) -> [String]? {
        let text = String(decoding: value, as: UTF8.self)
        guard text.hasPrefix("["), text.hasSuffix("]") else { return nil }
        let inside = text.dropFirst().dropLast()
        if inside.allSatisfy(\.isWhitespace) { return [] }
        var words: [String] = []
        for part in inside.split(separator: ",", omittingEmptySubsequences: false) {
            let trimmed = String(part.drop(while: \.isWhitespace).reversed().drop(while: \.isWhitespace).reversed())
            let word = trimmed.dropFirst().dropLast()
            guard trimmed.utf8.count > 2, trimmed.hasPrefix("\""), trimmed.hasSuffix("\""), words.count < 32,
                word.utf8.allSatisfy({ $0 > 0x20 && $0 < 0x7F && $0 != UInt8(ascii: "\"") && $0 != UInt8(ascii: "\\") })
            else { return nil }
            words.append(String(word))
        }
        return words
    }
}
