import WaybillEncoding

/// How an installation does, judged from what its processes, its broker and its store say: pure.
package struct FleetHealth: Hashable, Sendable {
    package let findings: [Finding]

    package var grade: Grade { findings.map(\.grade).max() ?? .healthy }

    /// - Parameters:
    ///   - leases: of all processes.
    ///   - consumed: the queues that dispatchers read; `nil` if the broker does not answer.
    ///   - explained: what is told of besides, so that it needs no cause here.
    ///   - now: milliseconds since 1970.
    package init(leases: [Lease], consumed: [Queue]?, explained: Set<Subject> = [], now: Int64) {
        var findings: [Finding] = []
        let present = leases.filter { Self.isPresent($0, now: now) }
        let dispatchers = present.filter { $0.role == Self.dispatch }
        // What ails the only one that could send stops everything, and is what to look at first.
        let canSend = dispatchers.contains { ProcessReport($0).ready }
        let silent = leases.filter { !$0.isEnded && Self.isSilent($0, now: now) }
        let holding = silent.filter { Self.mayHold($0, among: leases, consumed, now: now) }
        let reading = silent.filter {
            !holding.contains($0) && Self.keepsConsumer($0, among: leases, consumed, now: now)
        }
        let gone = silent.filter {
            !holding.contains($0) && !reading.contains($0) && !Self.isReplaced($0, among: leases)
        }
        let told: [(leases: [Lease], hold: Hold)] = [
            (holding, .may), (reading, .goesOn), (gone, consumed == nil ? .may : .no),
        ]
        for (leases, hold) in told {
            findings += leases.map { Self.silence(of: $0, isAlone: dispatchers.isEmpty, hold, now: now) }
        }
        let ending = Self.ending(leases, now: now)
        findings += ending
        let lanes = dispatchers.flatMap { ProcessReport($0).lanes ?? [] }
        let allAreParked = !lanes.isEmpty && lanes.allSatisfy { ["parked", "probing"].contains($0.state) }
        let outages = Outages(present.map { ProcessReport($0) })
        var causes = ToldCauses(explained: explained)
        var reloads: Set<String> = []
        let outdated = Self.outdated(dispatchers, consumed, now: now)
        for lease in present where !outdated.contains(lease.id) {
            if Self.isStarting(lease, now: now) {
                findings.append(Self.start(of: lease, canSend: canSend))
                continue
            }
            findings += Self.lacks(of: lease, outages, &causes, canSend: canSend, now: now)
            findings += Self.findings(of: lease, allAreParked: allAreParked, &reloads, now: now)
        }
        if !canSend, !findings.contains(where: { $0.grade == .down }) {
            findings.append(
                dispatchers.isEmpty
                    ? Finding(.noDispatcher, .down, "no dispatcher runs", advice: FindingAdvice.noDispatcher)
                    : Finding(
                        .dispatcherNotReady,
                        .down,
                        "no dispatcher is ready, and none says why",
                        advice: FindingAdvice.unsaid
                    )
            )
        }
        self.init(findings + Self.unread(consumed ?? [], by: leases, now: now))
    }

    static let dispatch = "dispatch"

    /// - Parameter findings: all there are.
    package init(_ findings: [Finding]) {
        // The worst first; of one grade in the order in which they were found.
        self.findings = findings.enumerated().sorted { left, right in
            (right.element.grade, left.offset) < (left.element.grade, right.offset)
        }.map(\.element)
    }

    /// The same without the findings of a kind.
    package func without(_ kind: FindingKind) -> FleetHealth { FleetHealth(findings.filter { $0.kind != kind }) }

    /// Causes that have been told: of an outage that several processes notice, each says what it cannot do, and one says why.
    private struct ToldCauses {
        let explained: Set<Subject>
        private var told: [Subject: Set<String>] = [:]

        init(explained: Set<Subject>) { self.explained = explained }

        /// The cause to be told of what a process lacks; `nil` where it has been told.
        mutating func take(_ lack: ProcessLack) -> String? {
            guard let subject = lack.subject else { return lack.cause }
            guard !explained.contains(subject) else { return nil }
            if lack.saysLittle, told[subject] != nil { return nil }
            return told[subject, default: []].insert(lack.lastingCause).inserted ? lack.cause : nil
        }
    }

    /// What a process lacks; with a dispatcher it weighs more if none can send.
    private static func lacks(
        of lease: Lease,
        _ outages: Outages,
        _ causes: inout ToldCauses,
        canSend: Bool,
        now: Int64
    ) -> [Finding] {
        ProcessLack.all(of: ProcessReport(lease), outages).map { lack in
            let length = outages.begin(of: lack).map { ", for \(age($0, now))" } ?? ""
            let cause = causes.take(lack).map { ": \($0)" } ?? ""
            return Finding(
                .processLacks,
                lease.role == dispatch && !canSend ? .down : .degraded,
                "\(name(lease)) \(lack.words)\(length)\(cause)",
                advice: lack.advice,
                subject: lack.subject
            )
        }
    }

    /// What goes wrong with a process that is there; a lane weighs more if none of any can send.
    ///
    /// - Parameters:
    ///   - lease: the process's.
    ///   - allAreParked: whether no lane sends.
    ///   - reloads: processes of which a refused reload has been told: all roles of one read the same configuration.
    ///   - now: milliseconds since 1970.
    /// - Returns: one finding for each thing.
    private static func findings(
        of lease: Lease,
        allAreParked: Bool,
        _ reloads: inout Set<String>,
        now: Int64
    ) -> [Finding] {
        let report = ProcessReport(lease)
        var findings: [Finding] = []
        for stuck in report.stuck ?? [] {
            findings.append(
                Finding(
                    .threadStuck,
                    .degraded,
                    "\(name(lease)): thread \(stuck.thread) has not come round for \(stuck.busySeconds) s",
                    advice: FindingAdvice.stuck
                )
            )
        }
        for trouble in report.toldTroubles {
            if trouble.isRefusedReload {
                guard reloads.insert("\(lease.host)/\(lease.process)").inserted else { continue }
            }
            findings.append(
                Finding(
                    FindingKind(trouble.known),
                    .degraded,
                    "\(name(lease)): \(trouble.text)",
                    advice: trouble.advice,
                    lane: trouble.lane
                )
            )
        }
        for lane in report.lanes ?? [] where lane.state != "open" {
            let cause = lane.cause.map { ": \($0)" } ?? ""
            let isOlder = lane.mayBeOlder(thanStart: lease.started)
            let length = since(lane.since, now, isOlder: isOlder)
            let text = "\(name(lease)): lane \(lane.name) is \(lane.state)\(length)\(cause)"
            findings.append(
                Finding(.laneNotOpen, allAreParked ? .down : .degraded, text, advice: lane.advice, lane: lane.name)
            )
        }
        return findings
    }

    /// What it means that a process lacks something, for who does not know what it is called inside.
    package static func words(for check: String) -> String {
        switch check {
        case "consuming": "takes no messages"
        case "confirms": "cannot publish to the broker"
        case "store": "cannot use the store"
        case "publishing": "cannot publish to the broker"
        case "log": "does not see what ends in the log"
        case "webhooks": "cannot send webhooks"
        case "mail": "cannot send mail"
        case "listener": "takes no requests"
        default: "lacks \(check)"
        }
    }

    /// As `dispatch on host-a (4711)`.
    package static func name(_ lease: Lease) -> String { "\(lease.role) on \(lease.host) (\(lease.process))" }

    /// Since when something is so, as the end of a sentence.
    ///
    /// - Parameters:
    ///   - text: the time; `nil` where nobody says it.
    ///   - now: milliseconds since 1970.
    ///   - isOlder: whether it may have begun before that, and nobody knows when.
    /// - Returns: such as `, for 3 min`.
    private static func since(_ text: String?, _ now: Int64, isOlder: Bool) -> String {
        text.flatMap(TimeText.date).map { ", for \(isOlder ? "at least " : "")\(age($0, now))" } ?? ""
    }

    /// As ``AgeText/text(_:_:)``.
    package static func age(_ then: Int64, _ now: Int64) -> String { AgeText.text(then, now) }
}
