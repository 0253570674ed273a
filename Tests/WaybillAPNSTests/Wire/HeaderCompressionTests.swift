import Testing
import WaybillAPNS
import WaybillSimulator
import WaybillTLS

/// Reads the bytes that crossed the wire (Apple, "Sending notification requests to APNs": header compression).
@Suite("Header compression as Apple asks for it", .serialized)
struct HeaderCompressionTests {
    private static func blocks(_ count: Int) throws -> [[HeaderField]] {
        let rehearsal = try Rehearsal { $0.keepsHeaderBlocks = true }
        let sender = try Sender([rehearsal.lane()])
        for index in 0..<count {
            let request = Fixture.request(
                index: index,
                expiration: .at(4_000_000_000 + Int64(index)),
                collapseID: .digest(SHA256Hasher.digest(of: [UInt8(index)]))
            )
            sender.send([request])
            #expect(try sender.outcomes(index + 1).last?.result == .accepted)
        }
        return try rehearsal.server.headerBlocks.map { try #require(HeaderField.read($0.bytes)) }
    }

    @Test("Path and authorization are never indexed")
    func never() throws {
        let blocks = try Self.blocks(5)
        #expect(blocks.count == 5)
        for block in blocks {
            let path = try #require(block.first { $0.nameIndex == HeaderField.path })
            let authorization = try #require(block.first { $0.nameIndex == HeaderField.authorization })
            #expect(path.form == .neverIndexed || path.form == .withoutIndexing)
            #expect(authorization.form == .neverIndexed || authorization.form == .withoutIndexing)
        }
    }

    @Test("apns-id, apns-expiration and apns-collapse-id are indexed once, for their names, and never again")
    func once() throws {
        let blocks = try Self.blocks(5)
        // Everything but the path and the authorization goes into the table with the first request.
        let first = blocks[0].count { $0.form == .incremental }
        // :authority, apns-topic, apns-push-type, apns-priority, apns-expiration, apns-id, apns-collapse-id.
        #expect(first == 7)
        for block in blocks.dropFirst() {
            #expect(!block.contains { $0.form == .incremental }, "a changing value went into the table")
            let literals = block.filter { $0.form == .neverIndexed || $0.form == .withoutIndexing }
            // :path, authorization and the three that change.
            #expect(literals.count == 5)
            #expect(literals.allSatisfy { $0.nameIndex != 0 }, "a name was written out again")
        }
    }

    @Test("Constant headers are a reference from the second request on")
    func constants() throws {
        let blocks = try Self.blocks(3)
        for block in blocks.dropFirst() {
            // :method, :scheme, :authority, apns-topic, apns-push-type, apns-priority.
            let references = block.filter { if case .indexed = $0.form { true } else { false } }
            #expect(references.count == 6)
            #expect(references.allSatisfy { $0.size == 1 })
        }
        #expect(blocks[1].count == blocks[0].count)
    }

    @Test("Each connection indexes for itself")
    func connections() throws {
        let rehearsal = try Rehearsal {
            $0.keepsHeaderBlocks = true
            var rule = SimulatorConnectionRule()
            rule.goesAwayAfter = 1
            $0.connectionRules = [rule]
        }
        let sender = try Sender([rehearsal.lane()])
        for index in 0..<3 {
            sender.send([Fixture.request(index: index)])
            _ = try sender.outcomes(index + 1)
        }
        let blocks = try rehearsal.server.headerBlocks.map { try #require(HeaderField.read($0.bytes)) }
        #expect(Set(rehearsal.server.headerBlocks.map(\.connection)).count == 3)
        for block in blocks { #expect(block.count { $0.form == .incremental } == 6) }
    }
}
