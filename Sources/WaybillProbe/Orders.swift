import Glibc
import Synchronization

/// Carries out the orders that come on standard input, one in a line, each while the next ones are read.
///
/// FROM and TO count lines of the plan from 0:
///
///     single FROM TO WIDTH      one call for each, WIDTH at a time
///     batch FROM TO             all in one call
///     feed FROM TO WIDTH        as a sequence, WIDTH in flight
///     replace WORD…             other credentials
///     cancel                    cancel the tasks of every order so far
///     close MILLISECONDS        close the client with this grace
///
/// The end of the input ends the program once every order is done.
package final class Orders: Sendable {
    private let client: any ProbedClient
    private let report: Report
    private let running = Atomic(0)
    private let tasks = Mutex<[Task<Void, Never>]>([])

    private init(_ client: any ProbedClient, _ report: Report) {
        self.client = client
        self.report = report
    }

    /// Runs a probe to its end; what it cannot do ends the program with 65.
    ///
    /// - Parameter make: makes the client that is probed, and says how many lines its plan has.
    package static func carryOut(_ make: (Report) throws -> (client: any ProbedClient, count: Int)) {
        let report = Report()
        do {
            let (client, count) = try make(report)
            var ready = JSONLine("ready")
            ready["count"] = count
            report.write(ready)
            let orders = Orders(client, report)
            while let line = readLine() { try orders.carryOut(line) }
            // Nothing here is on a task, so waiting blocks nobody.
            while orders.running.load(ordering: .acquiring) > 0 { usleep(5_000) }
        } catch {
            report.complain(error)
            exit(65)
        }
    }

    private func carryOut(_ line: String) throws {
        let words = line.split(separator: " ").map(String.init)
        func number(_ position: Int) throws(ProbeProblem) -> Int {
            guard words.indices.contains(position), let value = Int(words[position]) else {
                throw ProbeProblem("what does this mean: \(line)")
            }
            return value
        }
        let client = client
        switch words.first {
        case "single":
            let (part, width) = (try number(1)..<number(2), try number(3))
            begin(line) { await Self.send(part, by: client, width: width) }
        case "batch":
            let part = try number(1)..<number(2)
            begin(line) { await client.sendTogether(part) }
        case "feed":
            let (part, width) = (try number(1)..<number(2), try number(3))
            begin(line) { await client.sendAsSequence(part, width: width) }
        case "replace":
            try client.replaceCredentials(Array(words.dropFirst()))
        case "cancel":
            for task in tasks.withLock({ $0 }) { task.cancel() }
        case "close":
            let grace = Duration.milliseconds(try number(1))
            begin(line) { await client.close(grace: grace) }
        default:
            throw ProbeProblem("what does this mean: \(line)")
        }
    }

    /// Carries out an order on a task of its own, and reports its end.
    private func begin(_ name: String, _ order: @escaping @Sendable () async -> Void) {
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

    /// One call for each, so many at a time.
    private static func send(_ part: Range<Int>, by client: any ProbedClient, width: Int) async {
        await withTaskGroup(of: Void.self) { group in
            for (count, position) in part.enumerated() {
                if count >= width { await group.next() }
                group.addTask { await client.sendOne(position) }
            }
        }
    }
}

/// A client of a push service, with a plan of what to send; it reports the end of each line that it sends.
package protocol ProbedClient: Sendable {
    /// Sends one line of the plan.
    func sendOne(_ position: Int) async

    /// Sends several in one call.
    func sendTogether(_ part: Range<Int>) async

    /// Sends several as a sequence, so many in flight.
    func sendAsSequence(_ part: Range<Int>, width: Int) async

    /// Goes on with other credentials.
    func replaceCredentials(_ words: [String]) throws

    /// Ends, with a grace.
    func close(grace: Duration) async
}
