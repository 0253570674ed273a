import Testing
import WaybillCore

@Suite struct RetentionPolicyTests {
    @Test(arguments: ["30d", "1d", "36500d", "keep"])
    func aPeriodIsReadAndWrittenAlike(text: String) {
        #expect(RetentionPolicy.Period(text)?.description == text)
    }

    @Test(arguments: [
        "", "d", "0d", "-1d", "+1d", "30", "30 d", "30h", "Keep", "36501d", "1.5d", "99999999999999999999d",
    ])
    func anythingElseIsNoPeriod(text: String) {
        #expect(RetentionPolicy.Period(text) == nil)
    }
}
