import Testing
import WaybillMongo
import WaybillSettings

@testable import waybill

@Suite("What commands share")
struct SharedTests {
    @Test(
        "the exit status follows the gravest finding",
        arguments: [
            ([], nil), ([.degraded], 75), ([.degraded, .unavailable], 69), ([.unavailable], 69),
            ([.unavailable, .permission], 77),
            ([.permission, .configuration, .unavailable], 78),
        ] as [([Finding.Category], Int32?)]
    )
    func worst(categories: [Finding.Category], status: Int32?) {
        let warning = Finding(.warning, .configuration, path: "", message: "")
        let errors = categories.map { Finding($0 == .degraded ? .warning : .error, $0, path: "", message: "") }
        #expect(ExitStatus.worst(of: [warning] + errors)?.rawValue == status)
    }

    @Test(
        "a refused query is a fault of the program, and a full disk, an interrupt or a stepdown is none",
        arguments: [(121, 70), (14_031, 75), (11_601, 75), (189, 75)] as [(UInt32, Int32)]
    )
    func refused(native: UInt32, status: Int32) {
        let error = MongoError(code: .commandFailed, operation: "write", reason: "words", nativeCode: native)
        #expect(ExitStatus(error).rawValue == status)
    }

    @Test(
        "a progress bar fills up and shows the rate",
        arguments: [
            (0, "[------------------------------] 0/200 things  0/s"),
            (100, "[###############---------------] 100/200 things  50/s"),
            (200, "[##############################] 200/200 things  100/s"),
            (300, "[##############################] 300/200 things  150/s"),
        ]
    )
    func progress(done: Int, text: String) {
        let bar = ProgressBar.text(what: "things", done: done, total: 200, elapsed: .seconds(2))
        #expect(bar == text + "\u{1B}[K")
    }
}
