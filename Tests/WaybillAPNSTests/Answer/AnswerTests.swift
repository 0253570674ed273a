import Testing
import WaybillAPNS

@Suite("An answer")
struct AnswerTests {
    @Test("It keeps a wait in whole seconds, rounded up and within an hour")
    func answer() {
        #expect(APNSAnswer(status: 503).retryAfter == nil)
        #expect(APNSAnswer(status: 503, retryAfter: .zero).retryAfter == .zero)
        #expect(APNSAnswer(status: 503, retryAfter: .milliseconds(1)).retryAfter == .seconds(1))
        #expect(APNSAnswer(status: 503, retryAfter: .seconds(-1)).retryAfter == .zero)
        #expect(APNSAnswer(status: 503, retryAfter: .seconds(7200)).retryAfter == .seconds(3600))
        #expect(APNSAnswer(status: 503, retryAfter: .milliseconds(3_599_500)).retryAfter == .seconds(3600))
    }

    @Test("Room for a wait costs an outcome nothing")
    func size() {
        #expect(MemoryLayout<APNSAnswer>.stride == 40)
    }
}
