import Testing

@testable import WaybillAccounts

@Suite struct LoginPaceTests {
    @Test(arguments: [
        (0, 0), (1, 0), (4, 0), (5, 1), (6, 2), (7, 4), (8, 8), (13, 256), (14, 512), (15, 900), (16, 900), (70, 900),
        (100_000, 900),
    ])
    func wait(failures: Int, seconds: Int64) {
        #expect(LoginPace.wait(failures: failures) == seconds * 1000)
    }

    @Test(arguments: [(0, 0), (49, 0), (50, 1), (51, 2), (58, 256), (59, 300), (100_000, 300)])
    func waitTogether(failures: Int, seconds: Int64) {
        #expect(LoginPace.waitTogether(failures: failures) == seconds * 1000)
    }
}
