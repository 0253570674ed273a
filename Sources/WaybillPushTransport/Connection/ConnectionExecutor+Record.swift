import WaybillHTTP2
import WaybillThreads

/// What a connection tells about itself.
extension ConnectionExecutor {
    /// How many SETTINGS frames are remembered.
    private static var settingsKept: Int { 16 }
    /// How many GOAWAY frames are remembered.
    private static var goAwaysKept: Int { 8 }

    /// The record with its gauges brought up to date.
    func refreshedRecord() -> ConnectionRecord {
        record.state =
            switch machine.phase {
            case .idle, .resolving, .connecting, .tunnelling, .securing, .settling: .pending
            case .open: .open
            case .draining: .draining
            case .closed: .closed
            }
        record.age = now.duration(since: beganAt)
        record.streamsOpen = streams.count
        record.streamLimit = machine.streamLimit.limit
        record.streamStalls = streamStalls.count
        record.windowStalls = windowStalls.count
        record.windowStalled = windowStalls.total(at: now)
        record.bodiesWaiting = http?.unsentBodies ?? 0
        return record
    }

    /// Remembers the server's SETTINGS.
    func noteSettings(_ http: HTTP2Session) {
        let settings = ConnectionRecord.Settings(
            age: now.duration(since: beganAt),
            maximumStreams: http.remoteMaxConcurrentStreams,
            initialWindow: http.remoteInitialWindow,
            maximumFrame: http.remoteMaxFrameSize,
            headerTable: http.remoteHeaderTableSize,
            maximumHeaderList: http.remoteMaxHeaderListSize
        )
        // The first says how the server began, the latest where it stands.
        if record.settings.count == Self.settingsKept { record.settings.remove(at: 1) }
        record.settings.append(settings)
    }

    func noteGoAway(_ reason: String) {
        if record.goAways.count < Self.goAwaysKept { record.goAways.append(reason) }
    }

    /// Notes what holds requests back, once everything that could leave has left.
    ///
    /// - Parameter nextBody: the size of the next request that waits for a connection; `nil` when none does.
    func measureStalls(nextBody: Int?) {
        guard let http, machine.phase == .open else { return }
        let isFull = machine.room == 0
        streamStalls.note(nextBody != nil && isFull, at: now)
        // Bodies that are left after a drain with a free socket wait for a window, whatever waits behind them.
        let holdsBodies = http.unsentBodies > 0 && !socket.interest.contains(.writable)
        let keepsOut = nextBody.map { !isFull && room(forBody: $0) == 0 } ?? false
        windowStalls.note(holdsBodies || keepsOut, at: now)
    }
}
