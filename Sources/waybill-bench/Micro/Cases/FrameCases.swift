/// HTTP/2 without TLS and without a socket.
enum FrameCases {
    static let all = [submit, exchange]

    private static let submit = MicroCase(
        "submit",
        "HPACK, submit and serialise on a new session for each 1,000 requests, the session's life included"
    ) { _ in
        let requests = try FrameRequest.all()
        let round = 1000
        var next = 0
        return MicroLoop(notifications: round, warmUp: requests.count / round) {
            let peer = try FramePeer()
            for request in requests[next..<next + round] { try peer.submit(request) }
            try peer.drain()
            next = (next + round) % requests.count
            return peer.sent
        }
    }

    private static let exchange = MicroCase(
        "exchange",
        "HPACK, submit and serialise, then read the answers, on one session"
    ) { _ in
        let requests = try FrameRequest.all()
        let peer = try FramePeer()
        var turn = Turn(Samples.messages)
        return MicroLoop(notifications: Samples.notificationsPerMessage, warmUp: Samples.messages) {
            let before = peer.answered
            let first = peer.nextStream
            for number in Samples.numbers(ofMessage: turn.next()) { try peer.submit(requests[number]) }
            try peer.drain()
            try peer.answer(from: first, count: Samples.notificationsPerMessage)
            return peer.answered - before
        }
    }
}
