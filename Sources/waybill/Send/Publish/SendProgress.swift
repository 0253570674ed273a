import WaybillAMQP
import WaybillThreads

/// How far a run has come, in messages and in notifications.
///
/// Pure but for the time of the last progress.
struct SendProgress {
    /// The messages under way, each with its notifications.
    private var messages = ConfirmTracker<Int>()
    /// Notifications published.
    private(set) var published = 0
    /// Notifications in confirmed messages.
    private(set) var confirmed = 0
    private(set) var confirmedMessages = 0
    private(set) var lastProgress = MonotonicTime.now()

    /// Messages under way.
    var open: Int { messages.count }
    /// Messages at the beginning that are confirmed, without a gap.
    var leading: Int { messages.leading }

    mutating func add(_ sequence: UInt64, weight: Int) {
        messages.published(weight, as: sequence)
        published += weight
        if messages.count == 1 { lastProgress = .now() }
    }

    /// Takes a message off, or with `multiple` all up to it.
    mutating func confirm(_ sequence: UInt64, multiple: Bool) {
        lastProgress = .now()
        let weights = messages.resolve(sequence, multiple: multiple).confirmed
        confirmed += weights.reduce(0, +)
        confirmedMessages += weights.count
    }

    /// Takes notice of what the broker says.
    ///
    /// - Throws: `CommandFailure` when it has not taken a message.
    mutating func take(_ event: AMQPEvent) throws {
        switch event {
        case .confirmed(let tag, let multiple): confirm(tag, multiple: multiple)
        case .refused:
            throw CommandFailure(
                .temporary,
                "the broker refused a message; it may be short of memory or disk, or the queue full"
            )
        case .returned(_, _, let queue, _):
            throw CommandFailure(.configuration, "there is no queue \(queue); run waybill init")
        case .channelClosed(let error): throw error
        case .blocked(let reason):
            Terminal.say("waybill send: \(BrokerAlarmText.waiting(reason))")
        case .unblocked:
            lastProgress = .now()
            Terminal.say("waybill send: \(BrokerAlarmText.over)")
        case .delivery, .consumerCancelled: break
        }
    }
}
