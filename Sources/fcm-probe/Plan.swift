import WaybillFCM
import WaybillProbe

/// The messages to send, one in a line of a file.
///
/// Its columns, between tabs:
///
///     id, registration token, form, content, expiration, leave to resend, urgent
///
/// `-` stands for nothing. The form is `ready`, with ready JSON as the content, or `data`, with names and values in turn
/// between U+001F, to which the id is added.
struct Plan: Sendable {
    private let lines: PlanLines

    var count: Int { lines.count }

    init(file: String) throws(ProbeProblem) {
        lines = try PlanLines(file: file)
    }

    /// The id of a line, and its message.
    subscript(position: Int) -> (id: String, message: FCMMessage) {
        get throws(ProbeProblem) {
            let columns = try lines.columns(position, count: 7)
            let target = FCMTarget.token(columns[1])
            var message: FCMMessage
            if columns[2] == "data" {
                let words = columns[3].split(separator: "\u{1F}", omittingEmptySubsequences: false).map(String.init)
                var data = ["wb_id": columns[0]]
                for position in stride(from: 0, to: words.count - 1, by: 2) {
                    data[words[position]] = words[position + 1]
                }
                message = FCMMessage(to: target, FCMContent(data: data, priority: .high))
            } else {
                message = FCMMessage(to: target, ready: Array(columns[3].utf8))
            }
            message.expiration = Int64(columns[4])
            message.onUnknown = columns[5] == "1" ? .resend : .report
            message.isUrgent = columns[6] == "1"
            return (columns[0], message)
        }
    }
}
