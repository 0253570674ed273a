import Foundation
import Testing
import WaybillDeviceRegistry
import WaybillMongo
import WaybillMongoTestSupport
import WaybillTestSupport

@testable import waybill

@Suite struct DeviceExportTests {
    @Test func aTextIsNoFormula() {
        var device = Device(app: "com.example.parcels", environment: "production", token: "00aa")
        device.user = "=1+1"
        device.tags = ["a", "b,\"c"]
        device.registeredAt = 0
        let cells = DeviceCSV.header.dropLast(2).split(separator: ",", omittingEmptySubsequences: false)
        let line = DeviceCSV.line(device)
        #expect(line.hasPrefix(#"apns,com.example.parcels,production,00aa,token,,'=1+1,"a;b,""c",,"#))
        #expect(line.hasSuffix(",1970-01-01T00:00:00.000Z,,true,,,,,\r\n"))
        #expect(cells.count == 20)
    }

    @Test(arguments: ["", "07", "070011", "7", "zz", "0200000000", "0205000000610062", "04", "ff00"])
    func whatIsNoIdentifierIsRefused(text: String) {
        #expect(BSONIdentifier(storedText: text) == nil)
    }

    @Test(.enabled(if: TestDatabase.isAvailable), arguments: ExportFormat.allCases)
    func anInterruptedExportEndsWithTheSameBytes(format: ExportFormat) throws {
        try TestDatabase.withDatabase { client, database in
            let folder = try TemporaryFolder()
            let bulk = client.collection(database: database, name: "devices").bulk()
            for number in 0..<2_500 {
                let writer = BSONWriter(capacity: 256)
                writer.append("provider", string: "apns")
                writer.append("app", string: number.isMultiple(of: 5) ? "other" : "parcels")
                writer.append("token", string: String(format: "%064x", number))
                writer.append("enabled", bool: true)
                try bulk.insert(writer)
            }
            try bulk.execute().requireDurable("insert")
            let reader = DeviceReader(client: client, database: database)
            let query = DeviceQuery(app: "parcels")
            func run(_ name: String, of query: DeviceQuery = query, proceeds: Bool) throws -> ExportManifest? {
                let path = "\(folder.path)/\(name)"
                var run = try ExportRun(reader: reader, query: query, format: format, path: path, resumes: true)
                return try run.run { _ in proceeds }
            }
            let whole = try #require(try run("whole", proceeds: true))
            #expect(whole.records == 2_000)
            #expect(try run("pieces", proceeds: false) == nil)
            #expect(throws: CommandFailure.self) {
                _ = try run("pieces", of: DeviceQuery(app: "other"), proceeds: true)
            }
            var manifest = try run("pieces", proceeds: false)
            if manifest == nil { manifest = try run("pieces", proceeds: true) }
            #expect(manifest?.sha256 == whole.sha256)
            let lines = try String(contentsOfFile: "\(folder.path)/pieces", encoding: .utf8).split(
                whereSeparator: \.isNewline
            )
            #expect(Set(lines).count == 2_000 + (format == .csv ? 1 : 0))
        }
    }
}
