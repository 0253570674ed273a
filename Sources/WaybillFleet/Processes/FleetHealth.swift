import WaybillEncoding

/// How an installation does, judged from what its processes, its broker and its store say: pure.
package struct FleetHealth: Hashable, Sendable {
    /// How bad it is; the worst counts.
    package enum Grade: Int, Comparable, Sendable {
        case healthy
        /// Pushes go out, and something needs a look.
        case degraded
        /// Pushes do not go out.
        case down

        package static func < (left: Self, right: Self) -> Bool { left.rawValue < right.rawValue }
    }

    /// One thing that is not as it should be.
    package struct Finding: Hashable, Sendable {
        package let grade: Grade
        /// What is wrong and since when, in one line.
        package let text: String

        package init(_ grade: Grade, _ text: String) {
            self.grade = grade
            self.text = text
        }
    }

    /// A queue as the broker tells of it.
    package struct Queue: Hashable, Sendable {
        package let name: String
        package let messages: Int
        package let consumers: Int

        package init(name: String, messages: Int, consumers: Int) {
            self.name = name
            self.messages = messages
            self.consumers = consumers
        }
    }

    package let findings: [Finding]

    package var grade: Grade { findings.map(\.grade).max() ?? .healthy }

    /// - Parameters:
    ///   - leases: of all processes.
    ///   - consumed: the queues that dispatchers read; `nil` if the broker does not answer.
    ///   - now: milliseconds since 1970.
    package init(leases: [Lease], consumed: [Queue]?, now: Int64) {
        var findings: [Finding] = []
        let present = leases.filter { !$0.isEnded && !Self.isSilent($0, now: now) }
        for lease in leases where !lease.isEnded && Self.isSilent(lease, now: now) {
            // One that was started since has taken its place.
            guard !present.contains(where: { $0.role == lease.role && $0.started > lease.seen }) else { continue }
            findings.append(
                Finding(.degraded, "\(Self.name(lease)) has not been heard of for \(Self.age(lease.seen, now))")
            )
        }
        for lease in present { findings += Self.findings(of: lease, now: now) }
        let dispatchers = present.filter { $0.role == "dispatch" }
        if !dispatchers.contains(where: { ProcessReport($0).ready }) {
            let text = dispatchers.isEmpty ? "no dispatcher runs" : "no dispatcher is ready"
            findings.append(Finding(.down, text))
        }
        for queue in consumed ?? [] where queue.consumers == 0 {
            findings.append(Finding(.down, "\(queue.name) has no consumer, and \(queue.messages) messages wait"))
        }
        self.findings = findings.sorted { $0.grade > $1.grade }
    }

    /// - Parameter findings: all there are.
    package init(_ findings: [Finding]) {
        self.findings = findings.sorted { $0.grade > $1.grade }
    }

    /// The same with what else was found.
    package func adding(_ findings: [Finding]) -> Self { Self(self.findings + findings) }

    private static func findings(of lease: Lease, now: Int64) -> [Finding] {
        let report = ProcessReport(lease)
        var findings: [Finding] = []
        for check in report.checks ?? [] where !check.ok {
            let text = "\(name(lease)): \(check.name): \(check.cause ?? "missing")\(since(check.since, now))"
            findings.append(Finding(.degraded, text))
        }
        for lane in report.lanes ?? [] where lane.state != "open" {
            let text =
                "\(name(lease)): lane \(lane.name) is \(lane.state)\(since(lane.since, now)): \(lane.cause ?? "")"
            findings.append(Finding(.degraded, text))
        }
        for stuck in report.stuck ?? [] {
            findings.append(
                Finding(.degraded, "\(name(lease)): thread \(stuck.thread) hangs, \(stuck.busySeconds) s by now")
            )
        }
        return findings
    }

    /// Whether a process should have been heard of by now.
    package static func isSilent(_ lease: Lease, now: Int64) -> Bool {
        now - lease.seen > Int64(Lease.patience / .milliseconds(1))
    }

    /// As `dispatch on host-a (4711)`.
    package static func name(_ lease: Lease) -> String { "\(lease.role) on \(lease.host) (\(lease.process))" }

    private static func since(_ text: String?, _ now: Int64) -> String {
        text.flatMap(TimeText.date).map { ", for \(age($0, now))" } ?? ""
    }

    /// A span of time in its largest whole unit: `40 s`, `3 min`, `2 h`, `5 d`.
    package static func age(_ then: Int64, _ now: Int64) -> String {
        let seconds = max(0, now - then) / 1000
        return switch seconds {
        case ..<120: "\(seconds) s"
        case ..<7200: "\(seconds / 60) min"
        case ..<172_800: "\(seconds / 3600) h"
        default: "\(seconds / 86_400) d"
        }
    }
}
