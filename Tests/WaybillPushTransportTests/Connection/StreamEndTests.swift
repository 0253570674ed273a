import Testing

@testable import WaybillPushTransport

@Suite("How a stream ends without an answer")
struct StreamEndTests {
    @Test(
        "Certainly not taken, or nobody knows",
        arguments: [
            (StreamEnd.reset(errorCode: 7), true, PushFailure.notSent(.refusedStream)),
            (.reset(errorCode: 7), false, .notSent(.refusedStream)),
            (.aboveGoAway, true, .notSent(.goAway)),
            (.reset(errorCode: 8), true, .unknown(.reset(8))),
            (.reset(errorCode: 2), false, .notSent(.reset(2))),
            (.timeout, true, .unknown(.timeout)),
            (.timeout, false, .notSent(.timeout)),
            (.connectionLost("hung up"), true, .unknown(.connectionLost("hung up"))),
            (.connectionLost("hung up"), false, .notSent(.connectionLost("hung up"))),
            (.driverClosed, true, .unknown(.closed)),
            (.driverClosed, false, .notSent(.closed)),
        ]
    )
    func failure(end: StreamEnd, wasSent: Bool, expected: PushFailure) {
        #expect(end.failure(wasSent: wasSent) == expected)
    }

    @Test(
        "A stream that was reset, with whatever code, leaves its connection as it is; any other end does not",
        arguments: [
            (StreamEnd.reset(errorCode: 7), true), (.reset(errorCode: 2), true), (.reset(errorCode: 0), true),
            (.aboveGoAway, false), (.timeout, false), (.connectionLost("connection_lost"), false),
            (.driverClosed, false),
        ]
    )
    func isOfStream(end: StreamEnd, expected: Bool) {
        #expect(end.isOfStream == expected)
    }
}
