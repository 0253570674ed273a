import WaybillEncoding
import WaybillFleet

/// What the processes that publish say of the broker, each of its own connection: they hear of an alarm's end at once, and
/// RabbitMQ's statistics are renewed every few seconds only.
enum PublishingWord: Hashable, Sendable {
    /// None says that it can publish, or one says that it cannot.
    case unknown
    /// All can, and have been able to for so long that an alarm in the statistics may be a new one.
    case lasting
    /// All can, and one has said so so lately that the statistics may be older.
    case justBegun

    /// How old RabbitMQ's statistics may be, and those that it keeps for whoever asks, in milliseconds.
    private static let oldest: Int64 = 15_000
    private static let checks: Set<String> = ["confirms", "publishing"]

    /// - Parameters:
    ///   - reports: of the processes that are there.
    ///   - now: milliseconds since 1970.
    init(_ reports: [ProcessReport], now: Int64) {
        let told = reports.flatMap { $0.checks ?? [] }.filter { Self.checks.contains($0.name) }
        guard !told.isEmpty, told.allSatisfy(\.ok) else {
            self = .unknown
            return
        }
        let latest = told.compactMap { $0.since.flatMap(TimeText.date) }.max()
        self = latest.map { now - $0 <= Self.oldest } == true ? .justBegun : .lasting
    }
}
