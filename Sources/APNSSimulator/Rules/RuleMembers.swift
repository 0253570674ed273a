/// Why a rules file cannot be used.
package struct RulesFileError: Error, Hashable, Sendable, CustomStringConvertible {
    /// Where, as in `rules[2].goaway.reason`; empty for the whole document.
    package let path: String
    /// What is wrong.
    package let problem: String

    package var description: String { path.isEmpty ? problem : "\(path): \(problem)" }
}

/// The members of one object of a rules file, handed out once each; what nobody took is an error.
struct RuleMembers {
    private var members: [JSONMember]
    private let place: String

    init(_ value: JSONValue, path: String) throws(RulesFileError) {
        guard case .object(let members) = value else {
            throw RulesFileError(path: path, problem: "must be an object, not \(value.kind)")
        }
        self.members = members
        place = path
    }

    func path(_ name: String) -> String {
        place.isEmpty || name.isEmpty ? place + name : "\(place).\(name)"
    }

    func error(_ name: String, _ problem: String) -> RulesFileError {
        RulesFileError(path: path(name), problem: problem)
    }

    func has(_ name: String) -> Bool {
        members.contains { $0.name == name }
    }

    mutating func take(_ name: String) -> JSONValue? {
        guard let index = members.firstIndex(where: { $0.name == name }) else { return nil }
        return members.remove(at: index).value
    }

    mutating func required(_ name: String) throws(RulesFileError) -> JSONValue {
        guard let value = take(name) else { throw error(name, "is missing") }
        return value
    }

    mutating func string(_ name: String) throws(RulesFileError) -> String? {
        switch take(name) {
        case nil: return nil
        case .string(let string): return string
        case .some(let value): throw error(name, "must be a string, not \(value.kind)")
        }
    }

    mutating func flag(_ name: String) throws(RulesFileError) -> Bool {
        switch take(name) {
        case nil: return false
        case .bool(let flag): return flag
        case .some(let value): throw error(name, "must be true or false, not \(value.kind)")
        }
    }

    mutating func integer(_ name: String, in range: ClosedRange<Int>) throws(RulesFileError) -> Int? {
        guard let value = take(name) else { return nil }
        guard case .integer(let integer) = value, let number = Int(exactly: integer), range.contains(number) else {
            throw error(name, "must be an integer from \(range.lowerBound) to \(range.upperBound)")
        }
        return number
    }

    mutating func number(_ name: String) throws(RulesFileError) -> Double? {
        switch take(name) {
        case nil: return nil
        case .integer(let integer): return Double(integer)
        case .number(let number): return number
        case .some(let value): throw error(name, "must be a number, not \(value.kind)")
        }
    }

    /// Ends the reading: every member must have been taken.
    func finish() throws(RulesFileError) {
        if let unknown = members.first { throw error(unknown.name, "is not known here") }
    }
}
