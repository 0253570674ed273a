import HTTPTypes
import WaybillEncoding

/// The part of a URI behind the question mark: names and values, decoded.
struct QueryText: Sendable {
    private var values: [String: [String]] = [:]

    /// Reads it; a plus sign is a space.
    ///
    /// - Throws: ``Problem`` 400 for what cannot be decoded, or a name that is not known here.
    init(_ text: String?, allowing names: Set<String>) throws(Problem) {
        for part in (text ?? "").split(separator: "&") {
            let sides = part.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false).map(String.init)
            let name = try Self.decoded(sides[0])
            guard names.contains(name) else {
                throw Problem(.badRequest, UnknownName.text("parameter", name, among: names))
            }
            values[name, default: []].append(try Self.decoded(sides.count == 2 ? sides[1] : ""))
        }
    }

    /// The value of a name that may be there once; `nil` if it is not there.
    func value(_ name: String) throws(Problem) -> String? {
        guard let found = values[name], let value = found.first else { return nil }
        guard found.count == 1 else { throw Problem(.badRequest, "\(name) is there more than once") }
        guard !value.isEmpty else { throw Problem(.badRequest, Self.empty(name)) }
        return value
    }

    /// The values of a name that may be there several times, as they stand.
    func values(_ name: String) throws(Problem) -> [String] {
        let found = values[name] ?? []
        guard !found.contains("") else { throw Problem(.badRequest, Self.empty(name)) }
        return found
    }

    /// The values of a name that may be there several times, also with commas in between.
    func list(_ name: String) throws(Problem) -> [String] {
        let found: [String] = (values[name] ?? []).flatMap {
            $0.split(separator: ",", omittingEmptySubsequences: false).map(String.init)
        }
        guard !found.contains("") else { throw Problem(.badRequest, Self.empty(name)) }
        return found
    }

    private static func empty(_ name: String) -> String { "\(name) has no value; leave it out, or say one" }

    private static func decoded(_ text: String) throws(Problem) -> String {
        guard let decoded = PercentEncoding.decode(text.replacing("+", with: " ")) else {
            throw Problem(.badRequest, "the query cannot be decoded")
        }
        guard !decoded.contains("\0") else { throw Problem(.badRequest, "the query must not hold U+0000 (%00)") }
        return decoded
    }
}
