import Testing

@testable import WaybillHTTP2

struct BodyTableTests {
    @Test func aBodyLeavesInPiecesAndItsSlotIsUsedAgain() {
        var table = BodyTable()
        let first = table.insert([1, 2, 3, 4, 5][1...])
        let second = table.insert([9])
        #expect(first != second)
        var buffer: [UInt8] = [0, 0, 0]
        let piece = buffer.withUnsafeMutableBytes { table.take(from: first, into: $0) }
        #expect(piece.count == 3)
        #expect(!piece.isEnd)
        #expect(buffer == [2, 3, 4])
        let rest = buffer.withUnsafeMutableBytes { table.take(from: first, into: $0) }
        #expect(rest.count == 1)
        #expect(rest.isEnd)
        #expect(buffer[0] == 5)
        table.remove(first)
        table.remove(first)
        #expect(table.insert([7]) == first)
        #expect(table.insert([8]) != first)
    }

    @Test func theLastPieceLetsTheStorageGo() {
        func address(of bytes: [UInt8]) -> UnsafeRawPointer? { bytes.withUnsafeBytes { $0.baseAddress } }
        var table = BodyTable()
        var body = [UInt8](repeating: 1, count: 100)
        let slot = table.insert(body[...])
        let before = address(of: body)
        var buffer = [UInt8](repeating: 0, count: 200)
        #expect(buffer.withUnsafeMutableBytes { table.take(from: slot, into: $0) }.count == 100)
        // Still shared, the array would move away to be changed.
        body[0] = 2
        #expect(address(of: body) == before)
    }
}
