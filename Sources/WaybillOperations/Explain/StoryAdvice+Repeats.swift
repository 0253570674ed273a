extension StoryAdvice {
    /// That notifications of a batch are still sent again.
    ///
    /// - Parameters:
    ///   - count: how many.
    ///   - isHeldUp: whether nobody runs who does it.
    /// - Returns: half a sentence.
    static func repeated(_ count: Int, isHeldUp: Bool = false) -> String {
        let (verb, whom) = count == 1 ? ("is", "it") : ("are", "them")
        return
            "\(count) of its notifications \(verb) \(isHeldUp ? "to be" : "still") sent again until somebody acknowledges \(whom)"
            + (isHeldUp ? ", which nobody does now" : "")
    }

    /// What ends the repeats of a batch, or of a notification of it.
    static func next(ofRepeated batch: String, _ reader: StoryReader) -> [String] {
        reader.understands([
            "To end what is sent again until somebody acknowledges it: `waybill cancel \(ShellWord.quoted(batch))`."
        ])
    }
}
