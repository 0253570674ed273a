import WaybillFleet
import WaybillMongo
import WaybillOperations

/// The state of an installation as a person reads it: the verdict first, then where it comes from.
struct StatusScreen {
    let state: InstallationState
    let palette: Palette
    let width: Int

    /// Lines without their ends.
    var lines: [String] { parts.flatMap(\.lines) }

    /// The same in parts, in their order on the screen.
    var parts: [Part] {
        let health = state.health
        return [
            Part(.verdict, [verdict(health)]), Part(.findings, said(health.findings)),
            Part(.servers, [""] + broker + store), Part(.processes, [""] + processes), Part(.rates, rates),
        ]
    }

    /// What stands together on the screen.
    struct Part {
        /// In the order in which they matter, where there is no room for all.
        enum Kind: Int {
            case verdict
            case findings
            case rates
            case servers
            case processes
        }

        let kind: Kind
        let lines: [String]

        init(_ kind: Kind, _ lines: [String]) {
            self.kind = kind
            self.lines = lines
        }
    }

    /// What is wrong, and below it what to do about it: once, with the first of the findings that it helps against.
    private func said(_ findings: [FleetHealth.Finding]) -> [String] {
        var given: Set<String> = []
        return findings.flatMap { finding -> [String] in
            let text = Cell.wrapped(Cell.printable(finding.text), to: width - 4).enumerated().map {
                ($0 == 0 ? "  \(mark(finding.grade)) " : "    ") + $1
            }
            guard let advice = finding.advice, let key = finding.adviceKey, given.insert(key).inserted else {
                return text
            }
            return text + Cell.wrapped(Cell.printable(advice), to: width - 6).map { palette.dim("      \($0)") }
        }
    }

    private func verdict(_ health: FleetHealth) -> String {
        let version = "waybill \(ProductVersion.current)"
        switch health.grade {
        case .healthy: return palette.outcome("accepted", text: "healthy") + "   " + palette.dim(version)
        case .degraded: return palette.outcome("unknown", text: "degraded") + "   " + palette.dim(version)
        case .down: return palette.outcome("rejected", text: "down") + "   " + palette.dim(version)
        }
    }

    private func mark(_ grade: FleetHealth.Grade) -> String {
        grade == .down ? palette.outcome("rejected", text: "!") : palette.outcome("unknown", text: "-")
    }

    // MARK: - Broker and store

    private var broker: [String] {
        guard case .success(let broker) = state.broker else {
            let silence = state.queuesAreMissing ? "has not all queues" : silence(isRefused: state.brokerRefuses)
            return [head("broker") + silence]
        }
        var lines: [String] = []
        for queue in broker.consumed {
            lines.append("\(queue.name): \(of(queue))")
        }
        lines.append(
            "delayed \(broker.delayed), rejected \(broker.rejected), invalid-token events \(broker.tokenEvents)"
                + (broker.audiences > 0 ? ", audience messages \(broker.audiences)" : "")
        )
        switch state.unacknowledged {
        case .byQueue: break
        case .reported(let count): lines.append("unacknowledged \(count), as the dispatchers report")
        case .unknown: lines.append("unacknowledged not known: the dispatchers tell the store")
        }
        return headed("broker", lines)
    }

    private func of(_ queue: FleetHealth.Queue) -> String {
        var parts = ["\(queue.messages) ready"]
        if case .byQueue(let counts) = state.unacknowledged {
            parts.append("\(counts[queue.name] ?? 0) unacknowledged")
        }
        parts.append(consumers(of: queue))
        if queue.messages > 0, let wait = state.longestWait(in: queue.name) {
            let age = FleetHealth.age(state.now - Int64(wait / .milliseconds(1)), state.now)
            parts.append("the oldest waits \(age) at most")
        }
        return parts.joined(separator: ", ")
    }

    /// RabbitMQ counts a consumer that has ended until the messages that it was handed are acknowledged.
    private func consumers(of queue: FleetHealth.Queue) -> String {
        let text = Counted.text(queue.consumers, "consumer")
        guard let most = state.mostConsumers(of: queue.name), queue.consumers > most else { return text }
        return "\(text) (RabbitMQ's count; dispatchers have \(most))"
    }

    private var store: [String] {
        guard case .success(let store) = state.store else {
            return [head("store") + silence(isRefused: state.storeRefuses)]
        }
        var text: String
        switch store.deployment {
        case .sharded: text = "a sharded cluster"
        case .single: text = "a single server"
        case .replicaSet(let name, let members, let hasPrimary):
            text =
                "replica set \(name), \(Counted.text(members, "member"))\(hasPrimary ? ", primary answers" : ", no primary")"
        }
        if let lag = store.lag, lag > .zero { text += ", the majority \(lag.components.seconds) s behind" }
        text += "; about \(Counted.text(store.records, "record"))"
        if let expiry = store.nextExpiry {
            text +=
                expiry > state.now
                ? ", the next expires in \(FleetHealth.age(state.now, expiry))"
                : ", the oldest should have gone \(FleetHealth.age(expiry, state.now)) ago"
        }
        return headed("store", [text])
    }

    /// Lines behind a word, broken where the screen ends.
    private func headed(_ word: String, _ lines: [String]) -> [String] {
        let room = width - Self.headWidth
        return lines.flatMap { line in
            Cell.width(line) <= room
                ? [line] : Cell.wrapped(line, to: room - 2).enumerated().map { ($0 == 0 ? "" : "  ") + $1 }
        }.enumerated().map { head($0 == 0 ? Cell.printable(word) : "") + $1 }
    }

    // MARK: - Processes

    private var processes: [String] {
        state.leases.filter { !state.isPast($0) }.flatMap { lease -> [String] in
            let report = ProcessReport(lease)
            var text = "\(lease.host) (\(lease.process)), up \(FleetHealth.age(lease.started, state.now))"
            if FleetHealth.isSilent(lease, now: state.now) {
                text += ", not heard of for \(FleetHealth.age(lease.seen, state.now))"
            } else if report.stopping == true {
                text += ", stopping"
            } else {
                text += report.ready ? ", ready" : ", not ready"
            }
            if let inFlight = report.inFlight, let count = inFlight["notifications"] { text += ", \(count) in flight" }
            if lease.version != ProductVersion.current { text += ", version \(lease.version)" }
            let reload = report.reload.map { ["reload: \($0)"] } ?? []
            return headed(lease.role, ([text] + reload + (report.lanes ?? []).map(lane)).map(Cell.printable))
        }
    }

    private func lane(_ lane: ProcessReport.Lane) -> String {
        var text = "lane \(lane.name): \(lane.state)"
        if let cause = lane.cause {
            // The cause of a pause begins with the state: `paused by anna@push-1`.
            text += " (\(cause.hasPrefix("\(lane.state) ") ? String(cause.dropFirst(lane.state.count + 1)) : cause))"
        }
        text += ", \(Counted.text(lane.connections ?? 0, "connection")), \(Counted.text(lane.streams ?? 0, "stream"))"
        if let waiting = lane.waiting, waiting > 0 { text += ", \(waiting) waiting" }
        return text
    }

    /// A second, over one minute and over fifteen: what each role counts, all its processes together.
    private var rates: [String] {
        var roles: [String: [String: [String: Double]]] = [:]
        for lease in state.leases where FleetHealth.isPresent(lease, now: state.now) {
            for (period, rates) in ProcessReport(lease).rates ?? [:] {
                for (name, rate) in rates where rate > 0 {
                    roles[lease.role, default: [:]][name, default: [:]][period, default: 0] += rate
                }
            }
        }
        let headings = roles.keys.map { "\($0), a second" }
        let width = 2 + ((headings + roles.values.flatMap(\.keys)).map(\.count).max() ?? 0)
        let order = roles.sorted { (Lease.rank(ofRole: $0.key), $0.key) < (Lease.rank(ofRole: $1.key), $1.key) }
        return order.flatMap { role, counted in
            let heading = Cell.padded(Cell.printable("\(role), a second"), to: width) + "   1 min   15 min"
            return ["", palette.dim(heading)]
                + counted.sorted { $0.key < $1.key }.map { name, rates in
                    Cell.padded(Cell.printable(name), to: width)
                        + Cell.padded(Self.number(rates["1m"]), to: 8, alignsRight: true)
                        + Cell.padded(Self.number(rates["15m"]), to: 9, alignsRight: true)
                }
        }
    }

    /// What happens at all is not shown as nothing.
    static func number(_ rate: Double?) -> String {
        let rate = rate ?? 0
        let hundredths = Int((rate * 100).rounded())
        guard rate > 0 else { return "0" }
        if hundredths == 0 { return "<0.01" }
        if (1..<10).contains(hundredths) { return "0.0\(hundredths)" }
        let tenths = Int((rate * 10).rounded())
        return tenths >= 1000 ? "\(tenths / 10)" : "\(tenths / 10).\(tenths % 10)"
    }

    private static let headWidth = 15

    private func head(_ text: String) -> String { Cell.padded(text, to: Self.headWidth) }

    private func silence(isRefused: Bool) -> String { isRefused ? "refuses this user" : "does not answer" }
}
