import CWaybillNGHTTP2
import Testing

@testable import WaybillHTTP2

@Suite("A header block")
struct HeaderBlockTests {
    private static func values(_ block: HTTP2HeaderBlock) -> [String] {
        block.withNameValues { pairs, count in
            UnsafeBufferPointer(start: pairs, count: count).map {
                String(decoding: UnsafeRawBufferPointer(start: $0.value, count: $0.valuelen), as: UTF8.self)
            }
        }
    }

    @Test("It holds as many headers as it is given, and values of any length, each as it was written")
    func growth() {
        let block = HTTP2HeaderBlock()
        let given = (0..<100).map { String(repeating: "v", count: $0 * 7) + "\($0)" }
        for value in given { block.append("x-header", value, indexed: true) }
        #expect(block.count == 100)
        #expect(Self.values(block) == given)
    }

    @Test("It is empty again for the next message, in the same memory")
    func reuse() {
        let block = HTTP2HeaderBlock()
        for _ in 0..<40 { block.append("first", String(repeating: "1", count: 100), indexed: true) }
        block.removeAll()
        #expect(block.count == 0)
        block.append("second", "2", indexed: false)
        #expect(Self.values(block) == ["2"])
    }

    @Test("A value that may not be indexed says so, and only that one")
    func indexing() {
        let block = HTTP2HeaderBlock()
        block.append("indexed", "1", indexed: true)
        block.append("unique", "2", indexed: false)
        let flags = block.withNameValues { pairs, count in
            UnsafeBufferPointer(start: pairs, count: count).map {
                UInt32($0.flags) & NGHTTP2_NV_FLAG_NO_INDEX.rawValue != 0
            }
        }
        #expect(flags == [false, true])
    }
}
