import Testing

@testable import WaybillHTTPAPI

struct LookUpGateTests {
    @Test func aSuspectGetsInMoreSlowlyAndStillDoes() {
        var gate = LookUpGate()
        let first = (0..<4).map { _ in gate.enter("a", isSuspect: true) }
        #expect(first == [true, true, false, false])
        // Another address is not held up by it.
        let others = [gate.enter("b", isSuspect: true), gate.enter("c", isSuspect: false)]
        #expect(others == [true, true])
        gate.leave("a")
        let next = (0..<2).map { _ in gate.enter("a", isSuspect: true) }
        #expect(next == [true, false])
    }

    @Test func allTogetherAreBoundedAndSuspectsFirst() {
        var gate = LookUpGate()
        let granted = (0..<60).map { gate.enter("\($0)", isSuspect: false) }
        #expect(granted.count(where: \.self) == 48)
        gate.leave("0")
        let suspect = gate.enter("suspect", isSuspect: true)
        let others = (0..<2).map { _ in gate.enter("other", isSuspect: false) }
        #expect(!suspect)
        #expect(others == [true, false])
    }
}
