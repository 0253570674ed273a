import WaybillCore
import WaybillDeliveryLog
import WaybillOperations
import WaybillProviders

/// What happened to a device or a notification, told in order, with what each end means.
struct DeliveryStory {
    let width: Int
    /// Whether messages are cut: on a screen, and not where a program may read on.
    let clipsMessages: Bool
    let palette: Palette
    /// What devices have said, where that is a part of it.
    var receipts: [ReceiptSubject: [DeliveryReceipt]] = [:]
    /// What the fuses of prune have done with events, where that is a part of it.
    var fuses: FuseStory?
    /// What the end means, where somebody knows more than the record tells.
    var meaning: String?

    /// The lines for records that come oldest first.
    func lines(_ deliveries: [LoggedDelivery]) -> [String] {
        deliveries.enumerated().flatMap { position, delivery in
            (position == 0 ? [] : [""]) + lines(delivery)
        }
    }

    private func lines(_ delivery: LoggedDelivery) -> [String] {
        let provider = ProviderName(ofRecord: delivery.provider)
        // What the push service's word asks for is in doubt with it.
        let isDoubtful = fuses?.isDoubtful(delivery) == true
        let explanation =
            meaning
            ?? DeliveryExplanation.text(
                delivery,
                provider: provider.title,
                advice: isDoubtful
                    ? nil : delivery.reason.flatMap { provider.advice(recorded: delivery.outcome, reason: $0) }
            )
        var lines = [heading(delivery)] + sentence(explanation)
        if let cause = RepeatCause(delivery) { lines += sentence(cause.text) }
        for (label, text) in details(delivery) where !text.isEmpty {
            let shown = clipsMessages ? Cell.printable(text) : Cell.whole(text)
            let texts = Cell.wrapped(shown, to: width - 2 - Self.labelWidth)
            for (position, text) in texts.enumerated() {
                lines.append("  " + palette.dim(Self.label(position == 0 ? label : "")) + text)
            }
        }
        lines += way(of: delivery)
        for receipt in delivery.receiptSubject.flatMap({ receipts[$0] }) ?? [] {
            lines += labelled("receipt", receipt.receivedAt, receipt.text)
        }
        if let step = fuses?.step(of: delivery) { lines += labelled(step.kind.rawValue, step.date, step.text) }
        return lines
    }

    /// Attempts, and waits for the lane, in their order.
    private func way(of delivery: LoggedDelivery) -> [String] {
        let provider = ProviderName(ofRecord: delivery.provider)
        var waits = delivery.waited[...]
        var lines: [String] = []
        func tellWaits(before date: Int64?) {
            while let wait = waits.first, wait.from < date ?? .max {
                waits.removeFirst()
                lines += labelled("waited", wait.from, wait.text(of: delivery, provider: provider.title))
            }
        }
        for (position, attempt) in delivery.history.enumerated() {
            tellWaits(before: attempt.date)
            let answer = Self.answer(status: attempt.status, reason: attempt.reason)
            let words = attempt.detail.map { "\(answer): \($0)" } ?? answer
            lines += labelled("attempt \(position + 1)", attempt.date, words)
        }
        tellWaits(before: nil)
        return lines
    }

    private func labelled(_ label: String, _ date: Int64?, _ text: String) -> [String] {
        let text = Cell.printable(DeliveryClock.inSentence(text))
        let begin = date.map { "\(DeliveryClock.text($0))  " } ?? ""
        return Cell.wrapped("\(begin)\(text)", to: width - 2 - Self.labelWidth).enumerated().map {
            "  " + palette.dim(Self.label($0 == 0 ? label : "")) + $1
        }
    }

    private func sentence(_ text: String) -> [String] {
        Cell.wrapped(Cell.printable(text), to: width - 2).map { "  " + $0 }
    }

    private func heading(_ delivery: LoggedDelivery) -> String {
        let outcome = palette.outcome(delivery.outcome, text: palette.bold(Cell.printable(delivery.outcome)))
        let answer = Self.answer(status: delivery.statusCode, reason: delivery.reason)
        return "\(DeliveryClock.text(delivery.date))  \(outcome)  \(answer)"
    }

    private func details(_ delivery: LoggedDelivery) -> [(label: String, text: String)] {
        let provider = ProviderName(ofRecord: delivery.provider)
        return [
            (provider == .apns ? "apns-id" : "id", delivery.id?.description ?? ""),
            ("provider", provider == .apns ? "" : provider.title),
            ("\(provider.title)'s id", delivery.providerID ?? ""),
            ("given id", delivery.givenID?.description ?? ""),
            ("token", delivery.deviceToken ?? ""),
            ("message", clipsMessages ? Cell.clipped(delivery.message ?? "", to: 400) : delivery.message ?? ""),
            ("batch", delivery.batchID ?? ""),
            ("position", delivery.position.map { "\($0), counted from 0" } ?? ""),
            ("client", delivery.client ?? ""),
            ("service", delivery.serviceID ?? ""),
            (
                "lane",
                [delivery.lane, delivery.topic].compactMap(\.self)
                    .joined(separator: ", \(provider.topicWord) ")
            ),
            (delivery.attempts > 0 ? "sent with" : "to be sent", sending(delivery)),
            (
                provider == .apns ? "push type" : "message of",
                [delivery.pushType, delivery.pushTypeFrom.map { "derived from the \($0)" }].compactMap(\.self)
                    .joined(separator: ", ")
            ),
            ("collapse id", delivery.collapseID ?? ""),
            ("attempts", Self.attempts(delivery)),
            ("invalid", delivery.invalidSince.map { Self.invalid(since: $0, provider) } ?? ""),
            ("kept", delivery.expiresAt.map { "until \(DeliveryClock.text($0))" } ?? "forever"),
        ]
    }

    /// APNs says when a token died; of FCM it is known when a request was refused for it.
    private static func invalid(since time: Int64, _ provider: ProviderName) -> String {
        switch provider {
        case .apns: "since \(DeliveryClock.text(time)), by APNs' clock"
        case .fcm: "since \(DeliveryClock.text(time)) at the latest, when the refused request was sent"
        }
    }

    private static let labelWidth = 12

    private static func label(_ text: String) -> String {
        Cell.padded(text, to: labelWidth)
    }

    /// Priority and limits, as the notification had them.
    private func sending(_ delivery: LoggedDelivery) -> String {
        let provider = ProviderName(ofRecord: delivery.provider)
        let origin =
            switch delivery.expirationFrom {
            case .message?, nil: ""
            case .lane?: " (the lane's)"
            case .default?: " (the default)"
            }
        let expiration = delivery.expiration.map { seconds in
            // A record may come from anybody's hands; what is no time is not shown.
            switch seconds {
            case 0: "expiration 0\(origin): \(provider.title) does not store it"
            case 1...4_294_967_295: "expiration \(DeliveryClock.text(seconds * 1000))\(origin)"
            default: ""
            }
        }
        return [
            delivery.priority.map { "priority \($0)" }, expiration,
            delivery.maxAge.map { "max_age \($0) s" },
        ].compactMap(\.self).filter { !$0.isEmpty }.joined(separator: ", ")
    }

    private static func attempts(_ delivery: LoggedDelivery) -> String {
        // A record may come from anybody's hands; what is no time is not shown.
        guard let latency = delivery.latencyMilliseconds, 0..<1e12 ~= latency else { return "\(delivery.attempts)" }
        // One decimal is as much as a person compares.
        let tenths = Int((latency * 10).rounded())
        return "\(delivery.attempts), answered after \(tenths / 10).\(tenths % 10) ms"
    }

    private static func answer(status: Int?, reason: String?) -> String {
        let isSilent = reason == nil && (status ?? 0) >= DeliveryExplanation.leastRefusal
        let words = [status.map { "\($0)" }, isSilent ? "no reason given" : reason]
        return Cell.printable(words.compactMap(\.self).joined(separator: " "))
    }
}
