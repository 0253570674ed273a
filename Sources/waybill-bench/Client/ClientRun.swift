import Glibc
import WaybillAPNS
import WaybillPushTransport
import WaybillThreads

/// Sends through the driver as the dispatcher does, in batches, with a bound on what is in flight.
///
/// The requests are made before the clock starts and used again and again: what is measured is sending alone.
struct ClientRun {
    struct Report {
        var accepted = 0
        var seconds = 0.0
        var cpuSeconds = 0.0
        var connections = 0
        /// With those that went before the clock started.
        var sent = 0
    }

    private struct Ended: Sendable {
        var count: Int
        var accepted: Int
    }

    private final class Owner: PushRequestOwner {}
    private struct Silent: APNSObserver {}

    static let batchSize = 100
    private static let batches = 200
    /// Sent before the clock starts: connects, and lets the stream limit and further connections come.
    private static let warmUp = 20_000

    private let driver: APNSDriver
    private let ended: Mailbox<Ended>
    private let work: [APNSRequestBatch]
    private let inFlight: Int

    init(lane: APNSConfiguration, payload: Int, inFlight: Int) throws {
        let ended = try Mailbox<Ended>()
        driver = try APNSDriver(name: "wb-apns-bench", lanes: [lane], observer: Silent()) { _, outcomes in
            let accepted = outcomes.count {
                if case .answered(let answer) = $0.result { answer.status == 200 } else { false }
            }
            ended.send(Ended(count: outcomes.count, accepted: accepted))
        }
        self.ended = ended
        self.inFlight = inFlight
        var tokens = TokenSequence(seed: 1, deadShare: 0)
        let owner = Owner()
        work = (0..<Self.batches).map { _ in
            let requests = (0..<Self.batchSize).map { Self.request(index: $0, payload: payload, tokens: &tokens) }
            return APNSRequestBatch(owner: owner, requests: requests)
        }
    }

    /// Sends so many and waits for every outcome.
    func send(_ count: Int) -> Report {
        run(Self.warmUp)
        var report = Report()
        let (start, cpu) = (MonotonicTime.now(), Self.cpuSeconds)
        report.accepted = run(count)
        report.seconds = Double(MonotonicTime.now().nanoseconds - start.nanoseconds) / 1e9
        report.cpuSeconds = Self.cpuSeconds - cpu
        report.sent = Self.warmUp + count
        report.connections = driver.snapshot.lanes.first?.connections.count ?? 0
        driver.close(grace: .seconds(10))
        driver.join()
        return report
    }

    /// - Returns: how many were accepted.
    @discardableResult
    private func run(_ count: Int) -> Int {
        var (handedOver, answered, accepted, next) = (0, 0, 0, 0)
        var news: [Ended] = []
        while answered < count {
            while handedOver < count, handedOver - answered + Self.batchSize <= inFlight {
                var batch = work[next % Self.batches]
                let rest = count - handedOver
                if rest < Self.batchSize {
                    batch = APNSRequestBatch(owner: batch.owner, requests: Array(batch.requests.prefix(rest)))
                }
                driver.submit([batch], lane: 0)
                handedOver += batch.requests.count
                next += 1
            }
            ended.wait(until: nil)
            ended.drain(into: &news)
            for item in news {
                answered += item.count
                accepted += item.accepted
            }
            news.removeAll(keepingCapacity: true)
        }
        return accepted
    }

    private static func request(index: Int, payload: Int, tokens: inout TokenSequence) -> APNSRequest {
        var token: [UInt8] = []
        tokens.appendNext(to: &token)
        var body = Array(#"{"aps":{"alert":""#.utf8)
        StampedText(length: payload - body.count - 3).append(sent: .now(), number: index, to: &body)
        body.append(contentsOf: #""}}"#.utf8)
        return APNSRequest(
            index: index,
            deviceToken: token[...],
            payload: body[...],
            topic: "com.example.parcels",
            pushType: .alert,
            priority: 10,
            expiration: APNSExpiration(seconds: 0),
            apnsID: .random(),
            collapseID: .explicit(token[...]),
            resendsUnknown: true
        )
    }

    private static var cpuSeconds: Double {
        var usage = rusage()
        getrusage(__rusage_who_t(RUSAGE_SELF.rawValue), &usage)
        let seconds = usage.ru_utime.tv_sec + usage.ru_stime.tv_sec
        return Double(seconds) + Double(usage.ru_utime.tv_usec + usage.ru_stime.tv_usec) / 1e6
    }
}
