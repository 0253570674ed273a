/// A number with the noun it counts, in the right form.
enum Counted {
    /// `1 message`, `2 messages`; `plural` for nouns that do not take an s.
    static func text(_ count: Int, _ noun: String, plural: String? = nil) -> String {
        "\(count) \(count == 1 ? noun : plural ?? noun + "s")"
    }
}
