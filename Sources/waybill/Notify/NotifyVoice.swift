/// Where a notification's sending is told, and its id.
enum NotifyVoice {
    /// As every command has it: data on standard output, which is the id alone, and words on standard error.
    case command
    /// As the thesis' program has it: everything on standard output.
    case thesis

    func say(_ words: String) {
        switch self {
        case .command: Terminal.say(words)
        case .thesis: Output.line(words)
        }
    }

    /// - Parameter id: of the notification that was sent; the thesis' API tells none.
    func tell(_ id: String?) {
        switch self {
        case .command:
            say("Success!")
            if let id { Output.line(id) }
        case .thesis: say(id.map { "Success! \($0)" } ?? "Success!")
        }
    }
}
