import WaybillAPNS
import WaybillHTTP2
import WaybillPushTransport

/// The head of a request.
enum HeadCases {
    static let all = [write]

    private static let write = MicroCase("head", "write a request's headers for nghttp2") { _ in
        let requests = try SampleRequests.all()
        let authorization = SampleRequests.authorization
        let headers = RequestHeaders(authority: SampleRequests.authority)
        var names = HeaderNames()
        var turn = Turn(Samples.messages)
        return MicroLoop(notifications: Samples.notificationsPerMessage, warmUp: Samples.messages) {
            var written = 0
            for number in Samples.numbers(ofMessage: turn.next()) {
                try headers.write(requests, at: number, authorization: authorization, names: &names)
                if headers.block.count >= 10 { written += 1 }
            }
            return written
        }
    }
}
