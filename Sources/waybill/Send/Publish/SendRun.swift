import WaybillCore
import WaybillDeliveryLog
import WaybillEncoding

/// What gives the notifications of one input their ids: run again with the same values, it gives the same ids.
struct SendRun: Equatable {
    /// The name of the batch; of several messages the part in front of their numbers.
    let batchID: String
    /// The messages' own time in seconds since 1970: an AMQP timestamp has whole ones.
    let time: Int64

    /// A run of its own, or the one that an interrupted run has named.
    ///
    /// - Parameters:
    ///   - batchID: the name; `nil` makes one.
    ///   - time: seconds since 1970; `nil` takes `now`.
    ///   - now: milliseconds since 1970.
    init(batchID: String?, time: Int64?, now: Int64) {
        self.batchID = batchID ?? MessageID.make(milliseconds: now)
        self.time = time ?? now / 1000
    }

    /// The time as `--at` takes it: `2026-11-22T02:25:00Z`.
    var timeText: String {
        // A time without its milliseconds, which are zero.
        TimeText.text(milliseconds: time * 1000).replacing(".000", with: "")
    }

    /// What a message says of itself, for the decoder.
    func properties(messageID: String) -> MessageProperties {
        MessageProperties(messageID: messageID, timestampMilliseconds: time * 1000)
    }
}

extension SendRun {
    /// Reads `--at`: RFC 3339 with whole seconds and with `Z` or an offset.
    ///
    /// - Returns: seconds since 1970; `nil` if it is anything else, or before 1970.
    static func time(_ text: String) -> Int64? {
        let pattern = /\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}(\.0+)?(Z|[+-]\d{2}:\d{2})/
        guard text.wholeMatch(of: pattern) != nil, let time = TimeText.parse(text, now: 0), time >= 0 else {
            return nil
        }
        return time / 1000
    }
}
