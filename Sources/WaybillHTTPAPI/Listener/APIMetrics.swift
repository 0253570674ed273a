import WaybillTelemetry
import WaybillThreads

/// What is counted of requests: by route, whose number is fixed, and by what became of them.
final class APIMetrics: Sendable {
    /// What stands for a path that is no route.
    static let noRoute = "none"
    private static let classes = ["2xx", "3xx", "4xx", "5xx"]

    private struct Counts: Sendable {
        var requests: [String: [Int]] = [:]
        var times: [String: DurationHistogram] = [:]
        var limited = 0
    }

    private let routes: [String]
    private let counts: Guarded<Counts>

    init(routes: [String]) {
        self.routes = routes + [Self.noRoute]
        var counts = Counts()
        for route in self.routes {
            counts.requests[route] = [Int](repeating: 0, count: Self.classes.count)
            counts.times[route] = DurationHistogram()
        }
        self.counts = Guarded(counts)
    }

    /// Counts an answer.
    func answered(route: String, status: Int, time: Duration) {
        let place = min(max(status / 100 - 2, 0), Self.classes.count - 1)
        let nanoseconds = UInt64(max(0, time / .nanoseconds(1)))
        counts.withLock { counts in
            counts.requests[route]?[place] += 1
            counts.times[route]?.record(nanoseconds: nanoseconds)
            if status == 429 { counts.limited += 1 }
        }
    }

    /// By class of status, all routes together.
    var totals: [(name: String, count: Int)] {
        let requests = counts.withLock { $0.requests }
        return Self.classes.enumerated().map { place, name in
            (name, requests.values.reduce(0) { $0 + $1[place] })
        }
    }

    func measure(into page: inout MetricsPage) {
        let counts = counts.withLock { $0 }
        for route in routes {
            for (place, name) in Self.classes.enumerated() {
                page.add(Self.requests, counts.requests[route]?[place] ?? 0, ["route": route, "status": name])
            }
        }
        for route in routes { page.add(Self.durations, counts.times[route] ?? DurationHistogram(), ["route": route]) }
        page.add(Self.limited, counts.limited)
    }

    private static let requests = Metric(
        "waybill_api_requests_total",
        .counter,
        "Requests that were answered, by route and class of status."
    )
    private static let durations = Metric(
        "waybill_api_request_duration_seconds",
        .histogram,
        "From a request's head to the head of its answer, by route."
    )
    private static let limited = Metric(
        "waybill_api_limited_requests_total",
        .counter,
        "Requests that were refused because their key or address asked too often."
    )
}
