extension StoryAdvice {
    /// That notifications of a batch are still sent again.
    static func repeated(_ count: Int) -> String {
        count == 1
            ? "1 of its notifications is still sent again until somebody acknowledges it"
            : "\(count) of its notifications are still sent again until somebody acknowledges them"
    }

    /// What ends the repeats of a batch, or of a notification of it.
    static func next(ofRepeated batch: String, _ reader: StoryReader) -> [String] {
        reader.understands([
            "To end what is sent again until somebody acknowledges it: `waybill cancel \(ShellWord.quoted(batch))`."
        ])
    }
}
