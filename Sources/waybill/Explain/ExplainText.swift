import WaybillCore
import WaybillDeliveryLog
import WaybillProviders

/// Explanations for people.
struct ExplainText {
    private static let barColumns = 30
    private static let mostGroups = 10

    let width: Int
    let clipsMessages: Bool
    let palette: Palette

    /// One notification, or several that have had the same id.
    func lines(_ stories: NotificationStories) -> [String] {
        // What a service has said has an id of the same form, which names the batch of its deliveries.
        if let batch = stories.batch { return lines(batch) }
        guard !stories.notifications.isEmpty else {
            return ["nothing is recorded under this apns-id"] + now(stories.now) + advice(stories.next)
        }
        let told = Array(stories.notifications.map { lines($0) }.joined(separator: [""]))
        var next = stories.next
        for sentence in stories.notifications.flatMap(\.next) where !next.contains(sentence) { next.append(sentence) }
        return told + now(stories.now) + advice(next)
    }

    /// One device, its notifications oldest first.
    func lines(_ story: TokenStory) -> [String] {
        guard !story.notifications.isEmpty else {
            return ["nothing is recorded of this token"] + registry(story.registry) + now(story.now)
                + advice(story.next)
        }
        var lines =
            story.hasMore ? ["the newest \(story.notifications.count); waybill logs --token shows more", ""] : []
        lines += story.notifications.reversed().map { self.lines($0) }.joined(separator: [""])
        return lines + now(story.now) + advice(story.next)
    }

    /// A batch: outcomes as bars, then what failed alike.
    func lines(_ story: BatchStory) -> [String] {
        guard !story.groups.isEmpty else {
            let isRejected = story.rejected.isEmpty ? "" : ": it was rejected"
            return ["nothing is recorded of the batch \(Cell.printable(story.name))\(isRejected)"] + now(story.now)
                + advice(story.next)
        }
        var lines = [palette.bold("batch \(Cell.printable(story.name))") + "  \(Counted.text(story.total, "record"))"]
        if let sample = story.sample { lines.append("  too many to count in time: \(sample) of them") }
        if let period = story.period {
            lines.append("  outcomes from \(DeliveryClock.text(period.first)) to \(DeliveryClock.text(period.last))")
        }
        lines += bars(story)
        if let receipts = story.receipts, receipts.arrived > 0 {
            lines.append("  by receipts of devices: \(receipts.text)")
        }
        lines += groups("still on its way", story.pending)
        lines += groups("failed", story.failures)
        lines += groups("cancelled", story.stopped)
        lines += groups("superseded", story.superseded)
        return lines + now(story.now) + advice(story.next)
    }
}

extension ExplainText {
    /// What a record's own story leaves out.
    private static let told: Set<StoryStep.Kind> = [
        .published, .received, .due, .replaced, .receipt, .repeats, .event, .fuse, .registry,
    ]

    private func lines(_ story: NotificationStory) -> [String] {
        var told = DeliveryStory(width: width, clipsMessages: clipsMessages, palette: palette)
        told.meaning = story.meaning
        let record = told.lines([story.record])
        return record + story.steps.filter { Self.told.contains($0.kind) }.flatMap(line)
    }

    private func registry(_ steps: [StoryStep]) -> [String] { steps.flatMap(line) }

    private func line(_ step: StoryStep) -> [String] {
        let text = [step.date.map { DeliveryClock.text($0) }, step.text, step.reason].compactMap(\.self)
        return labelled(step.kind.rawValue, text.joined(separator: "  "))
    }

    private func advice(_ next: [String]) -> [String] { paragraph("next", next) }

    private func now(_ sentences: [String]) -> [String] { sentences.isEmpty ? [] : paragraph("now", sentences) }

    private func paragraph(_ label: String, _ sentences: [String]) -> [String] {
        [""] + sentences.enumerated().flatMap { labelled($0 == 0 ? label : "", $1) }
    }

    private static let labelWidth = 12

    private func labelled(_ label: String, _ text: String) -> [String] {
        Cell.wrapped(Cell.printable(DeliveryClock.inSentence(text)), to: width - 2 - Self.labelWidth).enumerated().map {
            position,
            text in
            "  " + palette.dim(Cell.padded(position == 0 ? label : "", to: Self.labelWidth)) + text
        }
    }

    private func bars(_ story: BatchStory) -> [String] {
        let nameWidth = story.counts.reduce(0) { max($0, $1.outcome.count) }
        let numberWidth = "\(story.total)".count
        return story.counts.map { count in
            // What is there shows, however little it is.
            let filled = max(1, Self.barColumns * count.count / max(1, story.total))
            let bar = String(repeating: "#", count: filled) + String(repeating: " ", count: Self.barColumns - filled)
            let number = Cell.padded("\(count.count)", to: numberWidth, alignsRight: true)
            let line = "  \(Cell.padded(Cell.printable(count.outcome), to: nameWidth))  \(bar)  \(number)"
            return palette.outcome(count.outcome, text: line)
        }
    }

    private func groups(_ title: String, _ groups: [DeliveryGroup]) -> [String] {
        guard !groups.isEmpty else { return [] }
        var lines = ["", palette.bold(title)]
        for group in groups.prefix(Self.mostGroups) {
            let place = [
                group.lane.map { "lane \($0)" },
                group.topic.map { "\(ProviderName(ofRecord: group.provider).topicWord) \($0)" },
                group.client.map { "client \($0)" },
            ].compactMap(\.self).joined(separator: ", ")
            let heading = "\(group.count)  \([group.outcome, group.reason].compactMap(\.self).joined(separator: " "))"
            lines += Cell.wrapped(Cell.printable("\(heading)  \(place)"), to: width - 2).map { "  " + $0 }
            lines += labelled("seen", "\(DeliveryClock.text(group.first)) to \(DeliveryClock.text(group.last))")
            if let due = group.due {
                let (earliest, latest) = (DeliveryClock.text(due.lowerBound), DeliveryClock.text(due.upperBound))
                let times =
                    earliest == latest ? "not before \(latest)" : "not before \(earliest), by \(latest) at the latest"
                lines += labelled("due", times)
            }
            lines += labelled("examples", group.examples.map(\.description).joined(separator: " "))
        }
        if groups.count > Self.mostGroups { lines.append("  and \(groups.count - Self.mostGroups) more: --json") }
        return lines
    }
}
