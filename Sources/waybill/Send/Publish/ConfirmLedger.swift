import WaybillAMQP
import WaybillThreads

/// Which publications the broker has confirmed.
///
/// Pure but for the time of the last progress.
struct ConfirmLedger {
    /// The notifications of each message that is under way, by its publish sequence number.
    private var weights: [UInt64: Int] = [:]
    private var oldest: UInt64 = 1
    /// Messages at the beginning that are confirmed, without a gap.
    var leading: Int { Int((weights.keys.min() ?? next) - 1) }

    /// The number of the next message.
    private var next: UInt64 = 1
    /// Notifications published.
    private(set) var published = 0
    /// Notifications in confirmed messages.
    private(set) var confirmed = 0
    private(set) var confirmedMessages = 0
    private(set) var lastProgress = MonotonicTime.now()

    /// Messages under way.
    var open: Int { weights.count }

    mutating func add(_ tag: UInt64, weight: Int) {
        weights[tag] = weight
        next = tag + 1
        published += weight
        if weights.count == 1 { lastProgress = .now() }
    }

    /// Takes a message off, or with `multiple` all up to it.
    mutating func confirm(_ tag: UInt64, multiple: Bool) {
        lastProgress = .now()
        // Everything below the oldest has been confirmed before.
        for number in multiple ? min(oldest, tag)...tag : tag...tag {
            guard let weight = weights.removeValue(forKey: number) else { continue }
            confirmed += weight
            confirmedMessages += 1
        }
        if multiple { oldest = max(oldest, tag + 1) }
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
            Terminal.say("waybill send: the broker is blocked (\(reason)); waiting")
        case .unblocked:
            lastProgress = .now()
            Terminal.say("waybill send: the broker takes messages again")
        case .delivery, .consumerCancelled: break
        }
    }
}
