import Testing
import WaybillEncoding

@testable import WaybillHTTPAPI

@Suite("Hidden characters of the pages")
struct HiddenTableTests {
    @Test("the pages write out the same characters as the command line")
    func table() throws {
        let script = String(decoding: try #require(PageFiles.embedded["hidden.js"]), as: UTF8.self)
        let ranges = try script.matches(of: /\[0x([0-9a-f]+), 0x([0-9a-f]+)\]/).map { match in
            try #require(UInt32(match.1, radix: 16))...(try #require(UInt32(match.2, radix: 16)))
        }
        #expect(ranges == HiddenCharacters.ranges)
    }
}
