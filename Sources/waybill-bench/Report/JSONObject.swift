/// A flat JSON object of numbers, for the scripts.
struct JSONObject {
    private var members: [String] = []

    /// Adds a number under a name that needs no escaping.
    mutating func add(_ name: String, _ value: Int) { members.append("\"\(name)\": \(value)") }

    /// Adds a finite number under a name that needs no escaping.
    mutating func add(_ name: String, _ value: Double) { members.append("\"\(name)\": \(value)") }

    /// The object on one line.
    var text: String { "{\(members.joined(separator: ", "))}" }
}
