import WaybillThreads

/// Counts what happens on a connection, for whoever wants to know; it decides nothing.
struct ConnectionMeter {
    /// How a connection stands at one moment.
    struct Gauges {
        var state: ConnectionRecord.State
        var streamsOpen: Int
        var streamLimit: Int
        var bodiesWaiting: Int
    }

    /// How many SETTINGS frames are remembered.
    static let settingsKept = 16
    /// How many GOAWAY frames are remembered.
    static let goAwaysKept = 8

    private let beganAt: MonotonicTime
    /// Requests that had to wait for a stream.
    private(set) var streamStalls = StallMeter()
    /// Requests, or their bodies, that had to wait for a window.
    private(set) var windowStalls = StallMeter()
    /// What was counted; its gauges are as old as the last look.
    var record: ConnectionRecord

    init(id: UInt64, address: String, at now: MonotonicTime) {
        record = ConnectionRecord(id: id, address: address)
        beganAt = now
    }

    /// The record with its gauges brought up to date.
    mutating func refreshed(_ gauges: Gauges, at now: MonotonicTime) -> ConnectionRecord {
        record.state = gauges.state
        record.age = age(at: now)
        record.streamsOpen = gauges.streamsOpen
        record.streamLimit = gauges.streamLimit
        record.streamStalls = streamStalls.count
        record.windowStalls = windowStalls.count
        record.windowStalled = windowStalls.total(at: now)
        record.bodiesWaiting = gauges.bodiesWaiting
        return record
    }

    /// How long ago the connection was begun.
    func age(at now: MonotonicTime) -> Duration { now.duration(since: beganAt) }

    /// The server's SETTINGS have come.
    mutating func noteSettings(_ settings: ConnectionRecord.Settings) {
        // The first says how the server began, the latest where it stands.
        if record.settings.count == Self.settingsKept { record.settings.remove(at: 1) }
        record.settings.append(settings)
    }

    /// A GOAWAY has come, with the service's reason or the error code.
    mutating func noteGoAway(_ reason: String) {
        if record.goAways.count < Self.goAwaysKept { record.goAways.append(reason) }
    }

    /// What holds requests back, once everything that could leave has left.
    mutating func noteStalls(ofStreams: Bool, ofWindows: Bool, at now: MonotonicTime) {
        streamStalls.note(ofStreams, at: now)
        windowStalls.note(ofWindows, at: now)
    }
}
