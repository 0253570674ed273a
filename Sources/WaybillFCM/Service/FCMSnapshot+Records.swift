import WaybillPushTransport

// The transport's records, as the public values.

extension FCMSnapshot {
    init(_ record: LaneRecord) {
        self.init(name: record.name)
        connectionsOpen = record.connectionsOpen
        connectionsPending = record.connectionsPending
        connectionsDraining = record.connectionsDraining
        streamsOpen = record.streamsOpen
        waiting = record.waiting
        connections = record.connections.map(FCMConnectionSnapshot.init)
        sent = record.sent
        resent = record.resent
        answers = FCMAnswerCounts(record.answers)
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

extension FCMConnectionSnapshot {
    init(_ record: ConnectionRecord) {
        self.init(id: record.id, address: record.address)
        state = State(record.state)
        age = record.age
        tlsVersion = record.tlsVersion
        isResumed = record.isResumed
        streamsOpen = record.streamsOpen
        streamLimit = record.streamLimit
        carried = record.carried
        answers = FCMAnswerCounts(record.answers)
        goAways = record.goAways
        streamStalls = record.streamStalls
        windowStalls = record.windowStalls
    }
}

extension FCMConnectionSnapshot.State {
    fileprivate init(_ state: ConnectionRecord.State) {
        switch state {
        case .pending: self = .pending
        case .open: self = .open
        case .draining: self = .draining
        case .closed: self = .closed
        }
    }
}

extension FCMAnswerCounts {
    fileprivate init(_ counts: AnswerCounts) {
        self.init()
        accepted = counts.accepted
        // FCM gives 410 no meaning of its own.
        badRequest = counts.badRequest + counts.gone
        unauthorized = counts.unauthorized
        forbidden = counts.forbidden
        notFound = counts.notFound
        throttled = counts.throttled
        serverError = counts.serverError
    }
}
