import WaybillAPNS
import WaybillProbe

/// The notifications to send, one in a line of a file.
///
/// Its columns, between tabs:
///
///     apns-id, device token, push type, topic, priority, expiration, collapse id, leave to resend, form, content
///
/// `-` stands for nothing. The form is `json`, with ready JSON as the content, or `alert`, with a title, a body and the
/// value of a custom key between U+001F.
struct Plan: Sendable {
    private let lines: PlanLines

    var count: Int { lines.count }

    init(file: String) throws(ProbeProblem) {
        lines = try PlanLines(file: file)
    }

    private struct Custom: Encodable {
        let trace: String
    }

    /// One notification.
    ///
    /// - Throws: what the library says of its content, or what is wrong with the line.
    subscript(position: Int) -> APNSNotification {
        get throws {
            let columns = try lines.columns(position, count: 10)
            guard let id = APNSID(columns[0]) else { throw ProbeProblem("line \(position + 1) of the plan") }
            let pushType = APNSPushType(rawValue: columns[2])
            var result: APNSNotification
            if columns[8] == "alert" {
                let texts = columns[9].split(separator: "\u{1F}", omittingEmptySubsequences: false).map(String.init)
                result = try APNSNotification(
                    to: columns[1],
                    .alert(title: texts[0], body: texts[1]),
                    custom: Custom(trace: texts[2])
                )
                result.pushType = pushType
            } else {
                result = APNSNotification(to: columns[1], payload: Array(columns[9].utf8), pushType: pushType)
            }
            result.apnsID = id
            if columns[3] != "-" { result.topic = columns[3] }
            if let priority = Int(columns[4]) { result.priority = APNSPriority(rawValue: priority) }
            if let seconds = Int64(columns[5]) { result.expiration = APNSExpiration(seconds: seconds) }
            if columns[6] != "-" { result.collapseID = columns[6] }
            result.onUnknown = columns[7] == "1" ? .resend : .report
            return result
        }
    }
}
