import WaybillAudience
import WaybillEncoding

/// What is said of an audience to be sent whose name its client has given to one before.
enum KnownAudience {
    /// That it is the same one: the fan-out would not send it again, either.
    static func same(_ record: AudienceRecord) -> String {
        "\(Cell.printable(record.id)) is known already, the same message: it \(standing(record)), with \(record.handedOver) "
            + "handed over; nothing is sent twice, and nothing was published"
    }

    /// That it is another one, which the fan-out would reject.
    ///
    /// - Parameters:
    ///   - record: of the one before.
    ///   - isRelative: whether the time of the new one depends on when it is sent.
    /// - Returns: why, and what to do.
    static func another(_ record: AudienceRecord, isRelative: Bool) -> String {
        let time =
            isRelative
            ? ". With a relative --at each message has a time of its own, and is another one: give a fixed time (--at "
                + "\(TimeText.text(milliseconds: record.due)))" : ""
        return
            "\(Cell.printable(record.client)) has another audience \(Cell.printable(record.id)), which \(standing(record)): "
            + "the message is not the same, and would be rejected (conflicting_audience). Give it another name\(time)"
    }

    private static func standing(_ record: AudienceRecord) -> String {
        let end = record.finishedAt.map { " at \(TimeText.text(milliseconds: $0))" } ?? ""
        return switch record.state {
        case .waiting: "waits until \(TimeText.text(milliseconds: record.due))"
        case .expanding: record.isHeld ? "is held" : "is under way"
        case .done: "has ended\(end)"
        case .cancelled: "was cancelled\(end)"
        case .failed: "has failed\(end)"
        }
    }
}
