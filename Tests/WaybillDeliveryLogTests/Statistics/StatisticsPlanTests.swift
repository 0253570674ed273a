import Testing
import WaybillCore
import WaybillMongo
import WaybillMongoTestSupport

@testable import WaybillDeliveryLog

/// Nothing here reads a collection: by the server's own profiler.
@Suite(.enabled(if: TestDatabase.isAvailable)) struct StatisticsPlanTests {
    @Test func everythingGoesByAnIndexAndReadsWhatItNeeds() throws {
        try StatisticsBench.with { bench in
            let (client, database) = (bench.log.client, bench.log.options.database)
            _ = try DeliveryLogIndexes.ensure(client: client, database: database)
            let writer = CountingWriter(bench.log)
            let count = 3_000
            for part in 0..<10 {
                try writer.write((0..<count / 10).map { .timed($0 + part * 1_000, minute: Int64(part * 3 - 30)) })
            }
            // Ten that are found by their dates.
            try writer.write((0..<10).map { .timed($0, minute: -300, after: 300 * 60) })
            try writer.statistics.flush()
            try bench.forget(writer)
            func profile(_ level: Int) throws {
                _ = try client.command(database: database, BSONDocument { $0.append("profile", int: level) })
            }
            try profile(2)
            #expect(try bench.recount.round().recounted == 11)
            let now = DeliveryRecord.minute * 60_000
            let query = StatisticsQuery(since: now - 600_000, until: now, step: 1, dimension: .client)
            _ = try bench.reader().series(query)
            try profile(0)
            let steps = try client.collection(database: database, name: "system.profile").find(.empty).all()
                .filter { $0["ns"]?.string != "\(database).system.profile" }
            #expect(steps.contains { $0["planSummary"]?.string == "IXSCAN { date: 1 }" })
            #expect(steps.contains { $0["planSummary"]?.string == "IXSCAN { minute: 1 }" })
            for step in steps {
                let plan = step["planSummary"]?.string ?? ""
                let examined = Int(step["docsExamined"]?.int ?? 0)
                #expect(!plan.contains("COLLSCAN"), "\(step["op"]?.string ?? "") of \(step["ns"]?.string ?? "")")
                #expect(examined <= count / 10 + 50, "\(examined) by \(plan)")
            }
        }
    }
}
