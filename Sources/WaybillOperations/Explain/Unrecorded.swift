/// What of that which somebody asks for may be under way without a record.
enum Unrecorded: Hashable, Sendable {
    case nothing
    /// More than is recorded.
    case more
    /// All of it.
    case all

    /// It, in a sentence.
    var subject: String { self == .more ? "more of it" : "it" }
}
