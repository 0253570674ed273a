import WaybillHTTP2
import WaybillThreads

/// What the HTTP/2 session tells: called inside its `receive` and `drain`, where it must not be called back.
extension ConnectionExecutor: HTTP2Delegate {
    func headersBegan(stream: Int32) {}

    func header(stream: Int32, name: UnsafeRawBufferPointer, value: UnsafeRawBufferPointer) {
        guard name.count == 7, name[0] == UInt8(ascii: ":") else {
            if answerHeaders.mayHold(length: name.count) { keep(stream: stream, name: name, value: value) }
            return
        }
        guard let slot = streams.slot(of: stream) else { return }
        var status = 0
        for byte in value.prefix(3) { status = status * 10 + Int(byte &- UInt8(ascii: "0")) }
        // An interim response (1xx) is followed by the real one.
        if status >= 200 { streams[slot].status = status }
    }

    private func keep(stream: Int32, name: UnsafeRawBufferPointer, value: UnsafeRawBufferPointer) {
        guard let slot = streams.slot(of: stream),
            let name = answerHeaders.name(name, status: streams[slot].status)
        else { return }
        if streams[slot].headers == nil { streams[slot].headers = AnswerHeaders() }
        streams[slot].headers?.set(name, value)
    }

    func headersEnded(stream: Int32, endStream: Bool) {}

    func data(stream: Int32, bytes: UnsafeRawBufferPointer) {
        guard let slot = streams.slot(of: stream) else { return }
        let limit = service.answerLimit(of: streams[slot].job.id)
        let room = limit - streams[slot].body.count
        if room > 0 { streams[slot].body.append(contentsOf: bytes.prefix(room)) }
    }

    func streamEnded(stream: Int32) {
        guard let slot = streams.slot(of: stream), streams[slot].status != 0 else { return }
        streams.markEnded(slot)
    }

    func streamClosed(stream: Int32, errorCode: UInt32) {
        if let slot = streams.slot(of: stream) { end(slot, .reset(errorCode: errorCode)) }
    }

    func requestSent(stream: Int32) {
        if let http, let slot = streams.slot(of: stream) { streams[slot].end = http.requestEnd }
    }

    func settingsReceived() {
        guard let http else { return }
        noteSettings(http)
        postpone(machine.settings(maximumStreams: http.remoteMaxConcurrentStreams, at: now))
    }

    func goAway(lastStream: Int32, errorCode: UInt32, debugData: UnsafeRawBufferPointer) {
        let reason = service.goAwayReason(debugData) ?? "error code \(errorCode)"
        meter.noteGoAway(reason)
        owner.goAway(self, reason: reason)
        // Before the drain, which would end the connection with its last stream.
        while let newest = streams.newest, streams[newest].stream > lastStream { end(newest, .aboveGoAway) }
        retire("GOAWAY: \(reason)")
    }

    func pingAcknowledged(_ opaque: UInt64) {
        guard let time = machine.pingAnswered(opaque, at: now) else { return }
        meter.record.pingsAnswered += 1
        meter.record.lastPing = time
    }
}
