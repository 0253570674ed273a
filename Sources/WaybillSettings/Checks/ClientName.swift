import WaybillCore
import WaybillEncoding

/// Client names that stand in several sections: a message's name decides in each, so a slip in one of them has no effect.
enum ClientName {
    /// What there is to say about a name that is nearly another section's; `nil` for one that is there, or near none.
    static func slip(_ name: String, among known: some Sequence<String>) -> String? {
        guard !known.containsExactly(name), let nearest = NearestName.to(name, among: known) else { return nil }
        return "names the client \(name), which no other section does; did you mean \(nearest)?"
    }
}
