import WaybillPushTransport

// The transport's records, as the public values.

extension APNSLaneSnapshot {
    init(_ record: LaneRecord) {
        self.init(name: record.name)
        connectionsOpen = record.connectionsOpen
        connectionsPending = record.connectionsPending
        connectionsDraining = record.connectionsDraining
        streamsOpen = record.streamsOpen
        waiting = record.waiting
        connections = record.connections.map(APNSConnectionSnapshot.init)
        sent = record.sent
        resent = record.resent
        answers = APNSAnswerCounts(record.answers)
        unknown = record.unknown
        notSent = record.notSent
        timeouts = record.timeouts
        connected = record.connected
        connectionFailures = record.connectionFailures
        goAways = record.goAways
        streamStalls = record.streamStalls
        windowStalls = record.windowStalls
    }
}

extension APNSConnectionSnapshot {
    init(_ record: ConnectionRecord) {
        self.init(id: record.id, address: record.address)
        state = State(record.state)
        age = record.age
        tlsVersion = record.tlsVersion
        isResumed = record.isResumed
        settings = record.settings.map(Settings.init)
        streamsOpen = record.streamsOpen
        streamLimit = record.streamLimit
        carried = record.carried
        answers = APNSAnswerCounts(record.answers)
        goAways = record.goAways
        pingsAnswered = record.pingsAnswered
        lastPing = record.lastPing
        streamStalls = record.streamStalls
        windowStalls = record.windowStalls
        windowStalled = record.windowStalled
        bodiesWaiting = record.bodiesWaiting
    }
}

extension APNSConnectionSnapshot.State {
    fileprivate init(_ state: ConnectionRecord.State) {
        switch state {
        case .pending: self = .pending
        case .open: self = .open
        case .draining: self = .draining
        case .closed: self = .closed
        }
    }
}

extension APNSConnectionSnapshot.Settings {
    fileprivate init(_ settings: ConnectionRecord.Settings) {
        self.init(
            age: settings.age,
            maximumStreams: settings.maximumStreams,
            initialWindow: settings.initialWindow,
            maximumFrame: settings.maximumFrame,
            headerTable: settings.headerTable,
            maximumHeaderList: settings.maximumHeaderList
        )
    }
}

extension APNSAnswerCounts {
    fileprivate init(_ counts: AnswerCounts) {
        self.init()
        accepted = counts.accepted
        // APNs gives neither 401 nor 404 a meaning of its own.
        badRequest = counts.badRequest + counts.unauthorized + counts.notFound
        forbidden = counts.forbidden
        gone = counts.gone
        throttled = counts.throttled
        serverError = counts.serverError
    }
}
