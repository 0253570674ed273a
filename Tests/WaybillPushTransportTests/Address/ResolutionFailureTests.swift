import Glibc
import Testing

@testable import WaybillPushTransport

struct ResolutionFailureTests {
    @Test(arguments: [
        (EAI_SYSTEM, EMFILE, "Too many open files"),
        (EAI_NONAME, 0, "Name or service not known"),
        (EAI_AGAIN, EMFILE, "Temporary failure in name resolution"),
    ])
    func theTextIsThatOfWhateverFailed(status: Int32, systemError: Int32, text: String) {
        #expect(ResolutionFailure(status: status, systemError: systemError).text == text)
    }
}
