import WaybillHTTP2
import WaybillThreads

// What a connection does because its rule says so.
extension SimulatorConnection {
    /// Begins what the rule wants from the start; the first SETTINGS wait to be sent.
    func beginScript() {
        guard let rule = script.rule, let session else { return }
        var settings: [(id: Int32, value: UInt32)] = []
        if let size = rule.settings.headerTableSize { settings.append((HTTP2Setting.headerTableSize, UInt32(size))) }
        if let size = rule.settings.maxFrameSize { settings.append((HTTP2Setting.maxFrameSize, UInt32(size))) }
        if !settings.isEmpty { session.submitSettings(settings) }
        if rule.isSilent {
            observer.fault("settings:silence")
            output.isMute = true
            fallsSilent = true
        }
        if let timeout = rule.idleTimeout {
            lastHeard = .now()
            schedule(.idle, after: timeout)
        }
        if let interval = rule.pingInterval { schedule(.ping, after: interval) }
        perform(script.began(), about: nil)
    }

    /// Does what the script has come to.
    func perform(_ actions: [ConnectionScript.Action], about request: RequestInProgress?) {
        for action in actions {
            switch action {
            case .mute:
                observer.fault("mute")
                fallsSilent = true
                deferred.append(.mute)
            case .close(let byReset):
                observer.fault("close")
                isDeaf = true
                deferred.append(.close(byReset: byReset))
            case .goAway(let goAway):
                observer.fault("goaway")
                sayGoAway(goAway, on: request)
            case .limitStreams(let streams): announce(limit.pin(to: streams))
            case .flood(let flood): begin(flood, about: request)
            }
        }
    }

    private func begin(_ flood: SimulatorConnectionRule.Flood, about request: RequestInProgress?) {
        guard let session else { return }
        observer.fault("flood:\(flood.frames.rawValue)")
        switch flood.frames {
        case .settings: for _ in 0..<flood.count { session.submitSettings([]) }
        case .ping: for number in 0..<flood.count { session.submitPing(UInt64(number)) }
        case .continuation:
            guard let request else { return }
            output.append(raw: RawFrame.endlessHeaders(stream: request.stream, continuations: flood.count))
            // Nothing may stand between the frames of a block, and this block has no end.
            fallsSilent = true
            deferred.append(.mute)
        case .emptyData, .windowUpdate:
            // These stand elsewhere: ahead of an answer's body, and in place of the first WINDOW_UPDATE.
            break
        }
    }

    /// Ends the connection if the client has been silent for long enough.
    func idleTimeoutIsDue() {
        guard let timeout = script.rule?.idleTimeout ?? context.configuration.fcm?.idleTimeout, let lastHeard else {
            return
        }
        let silence = MonotonicTime.now().duration(since: lastHeard)
        guard requests.isEmpty, silence >= timeout else {
            return schedule(.idle, after: requests.isEmpty ? timeout - silence : timeout)
        }
        observer.fault("idle_timeout")
        sayGoAway(idleGoAway)
        closesAfterFlush = true
    }

    func pingIsDue() {
        guard let interval = script.rule?.pingInterval, let session else { return }
        pingsSent += 1
        session.submitPing(pingsSent)
        schedule(.ping, after: interval)
    }
}
