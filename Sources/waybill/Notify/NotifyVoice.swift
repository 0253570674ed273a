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

    /// Tells the answer of the server that has taken a notification.
    func tell(_ answer: NotifyAnswer) {
        switch self {
        case .command:
            say(answer.words)
            if let id = answer.id { Output.line(id) }
        case .thesis:
            let words = answer.isUnheard ? answer.words : "Success!"
            say(answer.id.map { "\(words) \($0)" } ?? words)
        }
    }
}
