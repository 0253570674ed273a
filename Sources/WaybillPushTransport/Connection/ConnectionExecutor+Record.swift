import WaybillHTTP2
import WaybillThreads

/// What a connection tells about itself.
extension ConnectionExecutor {
    /// The record with its gauges brought up to date.
    func refreshedRecord() -> ConnectionRecord {
        let state: ConnectionRecord.State =
            switch machine.phase {
            case .idle, .resolving, .connecting, .tunnelling, .securing, .settling: .pending
            case .open: .open
            case .draining: .draining
            case .closed: .closed
            }
        return meter.refreshed(
            ConnectionMeter.Gauges(
                state: state,
                streamsOpen: streams.count,
                streamLimit: machine.streamLimit.limit,
                bodiesWaiting: http?.unsentBodies ?? 0
            ),
            at: now
        )
    }

    /// Remembers the server's SETTINGS.
    func noteSettings(_ http: HTTP2Session) {
        meter.noteSettings(
            ConnectionRecord.Settings(
                age: meter.age(at: now),
                maximumStreams: http.remoteMaxConcurrentStreams,
                initialWindow: http.remoteInitialWindow,
                maximumFrame: http.remoteMaxFrameSize,
                headerTable: http.remoteHeaderTableSize,
                maximumHeaderList: http.remoteMaxHeaderListSize
            )
        )
    }

    /// Notes what holds requests back, once everything that could leave has left.
    ///
    /// - Parameter nextBody: the size of the next request that waits for a connection; `nil` when none does.
    func measureStalls(nextBody: Int?) {
        guard let http, machine.phase == .open else { return }
        let isFull = machine.room == 0
        // Bodies that are left after a drain with a free socket wait for a window, whatever waits behind them.
        let holdsBodies = http.unsentBodies > 0 && !socket.interest.contains(.writable)
        let keepsOut = nextBody.map { !isFull && room(forBody: $0) == 0 } ?? false
        meter.noteStalls(ofStreams: nextBody != nil && isFull, ofWindows: holdsBodies || keepsOut, at: now)
    }
}
