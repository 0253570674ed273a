/// What RabbitMQ says when a queue is declared again with another setting, such as
/// `PRECONDITION_FAILED - inequivalent arg 'x-message-ttl' for queue 'q' in vhost '/': received '5' but current is '7'`.
///
/// `durable` and `auto_delete` are reported the same way.
struct InequivalentArgument: Hashable, CustomStringConvertible {
    let argument: String
    let wanted: String
    let present: String

    /// `nil` if the text has another form.
    init?(brokerText text: String) {
        guard let argument = Self.text(after: "inequivalent arg '", before: "'", in: text),
            let rest = text.firstRange(of: ": received ").map({ text[$0.upperBound...] }),
            let but = rest.firstRange(of: " but current is ")
        else { return nil }
        self.argument = String(argument)
        wanted = Self.readable(rest[..<but.lowerBound])
        present = Self.readable(rest[but.upperBound...])
    }

    var description: String { "\(argument) is \(present), should be \(wanted)" }

    private static func text(after opening: String, before closing: String, in text: String) -> Substring? {
        guard let start = text.firstRange(of: opening)?.upperBound,
            let end = text[start...].firstRange(of: closing)?.lowerBound
        else { return nil }
        return text[start..<end]
    }

    /// `none` stands for an absent argument; a present one is a value, sometimes with its type, in single quotes.
    private static func readable(_ value: Substring) -> String {
        if value == "none" || value.hasPrefix("none ") { return "absent" }
        guard let quoted = text(after: "'", before: "'", in: String(value)) else { return String(value) }
        return quoted.isEmpty ? "empty" : String(quoted)
    }
}
