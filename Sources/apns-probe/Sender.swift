import Synchronization
import WaybillAPNS

/// Sends parts of the plan in the three ways that the library has, and reports the outcomes.
final class Sender: Sendable {
    let client: APNSClient
    let plan: Plan
    let report: Report
    private let running = Atomic(0)
    private let tasks = Mutex<[Task<Void, Never>]>([])

    init(client: APNSClient, plan: Plan, report: Report) {
        self.client = client
        self.plan = plan
        self.report = report
    }

    /// Whether an order is still being carried out.
    var isBusy: Bool { running.load(ordering: .acquiring) > 0 }

    /// Carries out an order on a task of its own, and reports its end.
    func begin(_ name: String, _ order: @escaping @Sendable () async -> Void) {
        running.add(1, ordering: .acquiringAndReleasing)
        let task = Task {
            await order()
            var line = JSONLine("done")
            line["order"] = name
            report.write(line)
            running.subtract(1, ordering: .acquiringAndReleasing)
        }
        tasks.withLock { $0.append(task) }
    }

    /// Cancels every order so far.
    func cancel() {
        for task in tasks.withLock({ $0 }) { task.cancel() }
    }

    /// One call for each notification, so many at a time.
    func sendSingly(_ part: Range<Int>, width: Int) async {
        await withTaskGroup(of: Void.self) { group in
            for (count, position) in part.enumerated() {
                if count >= width { await group.next() }
                group.addTask { await self.sendOne(position) }
            }
        }
    }

    private func sendOne(_ position: Int) async {
        guard let notification = make(position) else { return }
        let result: Result<APNSResponse, APNSError>
        do {
            result = .success(try await client.send(notification))
        } catch {
            result = .failure(error)
        }
        report.write(JSONLine(position: position, id: notification.apnsID, result: result))
    }

    /// All of them together.
    func sendTogether(_ part: Range<Int>) async {
        let made = part.compactMap { position in make(position).map { (position, $0) } }
        for await outcome in client.send(made.map(\.1)) {
            report.write(JSONLine(position: made[outcome.index].0, id: outcome.apnsID, result: outcome.result))
        }
    }

    /// As a sequence, so many in flight.
    func sendAsSequence(_ part: Range<Int>, width: Int) async {
        let made = part.compactMap { position in make(position).map { (position, $0) } }
        let notifications = AsyncStream<APNSNotification> { continuation in
            for (_, notification) in made { continuation.yield(notification) }
            continuation.finish()
        }
        for await outcome in client.send(contentsOf: notifications, atMost: width) {
            report.write(JSONLine(position: made[outcome.index].0, id: outcome.apnsID, result: outcome.result))
        }
    }

    private func make(_ position: Int) -> APNSNotification? {
        do {
            return try plan[position]
        } catch {
            var line = JSONLine("problem")
            line["text"] = "\(error)"
            report.write(line)
            return nil
        }
    }
}
