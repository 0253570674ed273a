import HTTPTypes
import Testing
import WaybillMongo

@testable import WaybillHTTPAPI

struct ProblemTests {
    /// `waybill status` shows the cause, and must not send its reader to itself.
    @Test func whatIsAwaySaysWhereToLookBesideItsCause() {
        let problem = Problem.away("the store does not answer")
        #expect(problem.detail == "the store does not answer; waybill status says how it is")
        #expect(problem.cause == "the store does not answer")
        #expect(StoreFailure.late.problem.cause == "the store did not answer in time")
        #expect(Problem.unavailable("too many").cause == nil)
    }

    /// Who is told that the store is away asks again, and again.
    @Test func whatTheStoreRefusesIsNotAway() {
        func status(_ native: UInt32) -> Int {
            let error = MongoError(code: .commandFailed, operation: "write", reason: "words", nativeCode: native)
            return StoreFailure.store(error).problem.status.code
        }
        #expect(status(121) == 500)
        #expect([0, 189, 14_031].map(status) == [503, 503, 503])
    }
}
