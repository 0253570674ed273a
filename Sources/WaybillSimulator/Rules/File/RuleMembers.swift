/// The members of one object of a rules file, handed out once each; what nobody took is an error.
struct RuleMembers<Name: RuleVocabulary.Names> {
    private var members: [JSONMember]
    private let place: String

    init(_ value: JSONValue, path: String) throws(RulesFileError) {
        guard case .object(let members) = value else {
            throw RulesFileError(path: path, problem: "must be an object, not \(value.kind)")
        }
        self.members = members
        place = path
    }

    func path(_ name: Name) -> String {
        place.isEmpty ? name.rawValue : "\(place).\(name.rawValue)"
    }

    func error(_ name: Name, _ problem: String) -> RulesFileError {
        RulesFileError(path: path(name), problem: problem)
    }

    /// An error of the object as a whole.
    func error(_ problem: String) -> RulesFileError {
        RulesFileError(path: place, problem: problem)
    }

    func has(_ name: Name) -> Bool {
        members.contains { $0.name == name.rawValue }
    }

    /// The first of these names that the object has.
    func first(of names: [Name]) -> Name? {
        names.first { has($0) }
    }

    mutating func take(_ name: Name) -> JSONValue? {
        guard let index = members.firstIndex(where: { $0.name == name.rawValue }) else { return nil }
        return members.remove(at: index).value
    }

    mutating func required(_ name: Name) throws(RulesFileError) -> JSONValue {
        guard let value = take(name) else { throw error(name, "is missing") }
        return value
    }

    mutating func string(_ name: Name) throws(RulesFileError) -> String? {
        switch take(name) {
        case nil: return nil
        case .string(let string): return string
        case .some(let value): throw error(name, "must be a string, not \(value.kind)")
        }
    }

    mutating func flag(_ name: Name) throws(RulesFileError) -> Bool {
        try optionalFlag(name) ?? false
    }

    mutating func optionalFlag(_ name: Name) throws(RulesFileError) -> Bool? {
        switch take(name) {
        case nil: return nil
        case .bool(let flag): return flag
        case .some(let value): throw error(name, "must be true or false, not \(value.kind)")
        }
    }

    mutating func integer(_ name: Name, in range: ClosedRange<Int>) throws(RulesFileError) -> Int? {
        guard let value = take(name) else { return nil }
        guard case .integer(let integer) = value, let number = Int(exactly: integer), range.contains(number) else {
            throw error(name, "must be an integer from \(range.lowerBound) to \(range.upperBound)")
        }
        return number
    }

    mutating func requiredInteger(_ name: Name, in range: ClosedRange<Int>) throws(RulesFileError) -> Int {
        guard let number = try integer(name, in: range) else { throw error(name, "is missing") }
        return number
    }

    /// A time in milliseconds, up to a day.
    mutating func milliseconds(_ name: Name, from least: Int = 0) throws(RulesFileError) -> Duration? {
        try integer(name, in: least...86_400_000).map { .milliseconds($0) }
    }

    mutating func probability(_ name: Name) throws(RulesFileError) -> Double? {
        let probability: Double
        switch take(name) {
        case nil: return nil
        case .integer(let integer): probability = Double(integer)
        case .number(let number): probability = number
        case .some(let value): throw error(name, "must be a number, not \(value.kind)")
        }
        guard probability > 0, probability <= 1 else { throw error(name, "must be above 0 and at most 1") }
        return probability
    }

    /// One of the words of an enumeration.
    mutating func word<Word: RawRepresentable<String> & CaseIterable>(
        _ name: Name,
        _ type: Word.Type = Word.self
    ) throws(RulesFileError) -> Word? {
        guard let text = try string(name) else { return nil }
        guard let word = Word(rawValue: text) else {
            throw error(name, "must be one of \(Word.allCases.map(\.rawValue).joined(separator: ", "))")
        }
        return word
    }

    /// An HTTP/2 error code, by its RFC 9113 name or as a number.
    mutating func errorCode(_ name: Name) throws(RulesFileError) -> HTTP2ErrorCode? {
        switch take(name) {
        case nil: return nil
        case .string(let text):
            if let code = HTTP2ErrorCode(name: text) { return code }
        case .integer(let number):
            if let code = UInt32(exactly: number) { return HTTP2ErrorCode(rawValue: code) }
        default: break
        }
        throw error(name, "must be a number of 32 bits or one of \(HTTP2ErrorCode.names.joined(separator: ", "))")
    }

    /// The elements of an array, each with its path.
    mutating func elements(_ name: Name) throws(RulesFileError) -> [(value: JSONValue, path: String)]? {
        guard let value = take(name) else { return nil }
        guard case .array(let elements) = value else { throw error(name, "must be an array, not \(value.kind)") }
        let path = path(name)
        return elements.enumerated().map { ($1, "\(path)[\($0)]") }
    }

    /// Ends the reading: every member must have been taken.
    func finish() throws(RulesFileError) {
        guard let unknown = members.first else { return }
        let path = place.isEmpty ? unknown.name : "\(place).\(unknown.name)"
        throw RulesFileError(path: path, problem: "is not known here")
    }
}
