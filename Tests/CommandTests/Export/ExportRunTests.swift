import Foundation
import Glibc
import Testing
import WaybillCore
import WaybillDeliveryLog
import WaybillMongoTestSupport
import WaybillTLS
import WaybillTestSupport

@testable import waybill

@Suite(.enabled(if: TestDatabase.isAvailable)) struct ExportRunTests {
    private static let count = 5_000
    private static let now: Int64 = 1_790_000_000_000

    private func withLog(_ test: (_ reader: DeliveryLogReader, _ folder: String) throws -> Void) throws {
        try TestDatabase.withDatabase { client, database in
            let folder = try TemporaryFolder()
            // Their dates may be so far back that the store would remove them meanwhile.
            let options = DeliveryLogOptions(database: database, retention: RetentionPolicy(default: .keep))
            _ = try DeliveryLogIndexes.ensure(client: client, database: database)
            let entries = (0..<Self.count).map { number in
                LogEntry(
                    record: DeliveryRecord(
                        id: NotificationID(high: UInt64(Self.now + Int64(number)) << 16 | 0x8000, low: UInt64(number)),
                        deviceToken: Array("00aa".utf8)[...],
                        outcome: number.isMultiple(of: 7) ? .rejected : .accepted,
                        reason: number.isMultiple(of: 7) ? "BadTopic" : nil,
                        message: Array("=1+1,\"\(number)\"\n".utf8)[...],
                        date: Self.now + Int64(number),
                        batchID: "b\(number % 3)",
                        client: "acme",
                        lane: "parcels"
                    )
                )
            }
            try DeliveryLogWriter(client: client, options: options).write(entries)
            try test(DeliveryLogReader(client: client, options: options, scope: .all), folder.path)
        }
    }

    /// Turns a bit near the beginning of a file; twice, it is as it was.
    private static func change(_ path: String) throws {
        let file = try #require(FileHandle(forUpdatingAtPath: path))
        try file.seek(toOffset: 9)
        var byte = try #require(try file.read(upToCount: 1)?.first)
        byte ^= 1
        try file.seek(toOffset: 9)
        try file.write(contentsOf: Data([byte]))
        try file.close()
    }

    private func contents(_ path: String) throws -> Data {
        try #require(FileManager.default.contents(atPath: path))
    }

    @Test(arguments: ExportFormat.allCases)
    func anInterruptedExportEndsWithTheSameBytes(format: ExportFormat) throws {
        try withLog { reader, folder in
            let whole = "\(folder)/whole"
            let pieces = "\(folder)/pieces"
            let query = DeliveryQuery(client: "acme", until: Self.now + Int64(Self.count))
            var run = try ExportRun(reader: reader, query: query, format: format, path: whole, resumes: false)
            let manifest = try #require(try run.run { _ in true })
            #expect(manifest.records == Self.count)
            var manifests: [ExportManifest] = []
            var runs = 0
            while manifests.isEmpty && runs < 20 {
                var run = try ExportRun(reader: reader, query: query, format: format, path: pieces, resumes: true)
                if let manifest = try run.run({ _ in false }) { manifests.append(manifest) }
                runs += 1
                // What a killed process had written after its last state, or only a part of it.
                guard manifests.isEmpty, let file = FileHandle(forWritingAtPath: pieces + ".part") else { continue }
                try file.seekToEnd()
                try file.write(contentsOf: Data("torn".utf8))
                try file.close()
            }
            #expect(runs > 2)
            let bytes = try contents(whole)
            #expect(try contents(pieces) == bytes)
            #expect(manifests.first?.sha256 == manifest.sha256)
            let digest = SHA256Hasher.digest(of: Array(bytes)).hexadecimal
            #expect(digest == manifest.sha256)
            #expect(bytes.count == Int(manifest.bytes))
            let left = try FileManager.default.contentsOfDirectory(atPath: folder).sorted()
            #expect(left == ["pieces", "pieces.manifest.json", "whole", "whole.manifest.json"])
            #expect(try contents(whole + ".manifest.json").last == UInt8(ascii: "\n"))
            let written = try JSONDecoder().decode(ExportManifest.self, from: contents(whole + ".manifest.json"))
            #expect(written == manifest)
            let permissions = try FileManager.default.attributesOfItem(atPath: whole)[.posixPermissions] as? Int
            #expect(permissions.map { $0 & 0o077 } == 0)
        }
    }

    /// Also where whoever made it was killed when it had its name, and its state was still there.
    @Test(arguments: [false, true]) func aWholeExportIsLeftAsItIs(isStateLeft: Bool) throws {
        try withLog { reader, folder in
            let path = "\(folder)/x"
            func makeRun(
                _ query: DeliveryQuery,
                format: ExportFormat = .ndjson,
                resumes: Bool
            ) throws -> ExportRun {
                try ExportRun(reader: reader, query: query, format: format, path: path, resumes: resumes)
            }
            let query = DeliveryQuery(client: "acme")
            var run = try makeRun(query, resumes: false)
            #expect(try run.run { _ in false } == nil)
            let state = try contents(path + ".state")
            run = try makeRun(query, resumes: true)
            let manifest = try #require(try run.run { _ in true })
            #expect(!run.wasWhole)
            if isStateLeft { try state.write(to: URL(fileURLWithPath: path + ".state")) }
            #expect(throws: CommandFailure.self) { try makeRun(query, resumes: false) }
            #expect(throws: CommandFailure.self) { try makeRun(DeliveryQuery(client: "rival"), resumes: true) }
            #expect(throws: CommandFailure.self) { try makeRun(query, format: .csv, resumes: true) }
            let bytes = try contents(path)
            #expect(throws: CommandFailure.self) {
                try makeRun(DeliveryQuery(client: "acme", since: Self.now), resumes: true)
            }
            run = try makeRun(query, resumes: true)
            #expect(try run.run { _ in false } == manifest)
            #expect(try run.wasWhole && contents(path) == bytes)
            let left = try FileManager.default.contentsOfDirectory(atPath: folder).sorted()
            #expect(left == ["x", "x.manifest.json"])
            // What has other bytes than were written is nobody's whole export, by their number or not.
            try Self.change(path)
            #expect { try makeRun(query, resumes: true) } throws: {
                ($0 as? CommandFailure)?.text.contains("x does not hold what was written to it") == true
            }
            truncate(path, 3)
            #expect(throws: CommandFailure.self) { try makeRun(query, resumes: true) }
        }
    }

    @Test func twoAtOnceDoNotWriteOneFile() throws {
        try withLog { reader, folder in
            let path = "\(folder)/x"
            let query = DeliveryQuery(client: "acme")
            func makeRun() throws -> ExportRun {
                try ExportRun(reader: reader, query: query, format: .ndjson, path: path, resumes: true)
            }
            var first = try makeRun()
            #expect { try makeRun() } throws: { ($0 as? CommandFailure)?.status == .temporary }
            var refusals = 0
            let manifest = try first.run { _ in
                refusals += (try? makeRun()) == nil ? 1 : 0
                return true
            }
            #expect(refusals > 0)
            #expect(manifest?.records == Self.count)
            #expect(try makeRun().wasWhole)
        }
    }

    @Test func everyFilterHolds() throws {
        try withLog { reader, folder in
            let path = "\(folder)/failures"
            let query = DeliveryQuery(batch: BatchName("b0"), excludedOutcomes: [.accepted])
            var run = try ExportRun(reader: reader, query: query, format: .ndjson, path: path, resumes: false)
            let manifest = try #require(try run.run { _ in true })
            #expect(manifest.records == (0..<Self.count).filter { $0.isMultiple(of: 21) }.count)
            let lines = String(decoding: try contents(path), as: UTF8.self).split(separator: "\n")
            #expect(lines.count == manifest.records)
            #expect(lines.allSatisfy { $0.contains("\"b0\"") && $0.contains("BadTopic") })
        }
    }

    @Test func whatIsThereIsNotWrittenOver() throws {
        try withLog { reader, folder in
            let path = "\(folder)/x"
            func makeRun(_ query: DeliveryQuery, format: ExportFormat = .ndjson, resumes: Bool) throws -> ExportRun {
                try ExportRun(reader: reader, query: query, format: format, path: path, resumes: resumes)
            }
            let query = DeliveryQuery(client: "acme")
            var run = try makeRun(query, resumes: false)
            #expect(try run.run { _ in false } == nil)
            #expect(throws: CommandFailure.self) { try makeRun(query, resumes: false) }
            #expect(throws: CommandFailure.self) { try makeRun(DeliveryQuery(client: "rival"), resumes: true) }
            #expect(throws: CommandFailure.self) { try makeRun(query, format: .csv, resumes: true) }
            // As many bytes as before are not the same bytes.
            let state = try contents(path + ".state")
            try Self.change(path + ".part")
            var changed = try makeRun(query, resumes: true)
            #expect { try changed.run { _ in true } } throws: {
                ($0 as? CommandFailure)?.text.contains("x.part does not hold what was written to it") == true
            }
            try Self.change(path + ".part")
            var unchanged = try makeRun(query, resumes: true)
            #expect(try unchanged.run { _ in false } == nil)
            #expect(try contents(path + ".state") != state)
            truncate(path + ".part", 3)
            var short = try makeRun(query, resumes: true)
            #expect(throws: CommandFailure.self) { try short.run { _ in true } }
            unlink(path + ".state")
            var anew = try makeRun(query, resumes: true)
            #expect(try anew.run { _ in true }?.records == Self.count)
            #expect(throws: CommandFailure.self) { try makeRun(query, resumes: false) }
        }
    }
}
