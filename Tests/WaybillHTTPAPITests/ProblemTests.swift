import Testing

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
}
