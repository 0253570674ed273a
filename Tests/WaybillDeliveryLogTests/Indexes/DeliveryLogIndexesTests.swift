import Testing
import WaybillCore

@testable import WaybillDeliveryLog
@testable import WaybillMongo

@Suite(.enabled(if: TestStore.isAvailable)) struct DeliveryLogIndexesTests {
    private func ensure(_ log: TestLog) throws -> [IndexChange.Change] {
        try DeliveryLogIndexes.ensure(client: log.client, database: log.options.database).map { $0.change }
    }

    private func specifications(_ log: TestLog) throws -> [String: BSONDocument] {
        let answer = try log.client.command(
            database: log.options.database,
            BSONDocument { $0.append("listIndexes", string: "deliveries") }
        )
        let batch = answer["cursor"]?.document?["firstBatch"]?.elements ?? []
        return Dictionary(uniqueKeysWithValues: batch.compactMap(\.document).map { ($0["name"]?.string ?? "", $0) })
    }

    @Test func theyAreCreatedOnceAsTheDesignSays() throws {
        try TestStore.withLog { log in
            let database = log.options.database
            #expect(try DeliveryLogIndexes.missing(client: log.client, database: database) == "deliveries")
            let first = try ensure(log)
            #expect(try DeliveryLogIndexes.missing(client: log.client, database: database) == nil)
            #expect(first == [.created, .created, .created, .created, .created])
            #expect(try ensure(log) == [.exists, .exists, .exists, .exists, .exists])
            let found = try specifications(log)
            #expect(Set(found.keys) == ["_id_", "device_token_date", "batch_id", "expires_at", "apns_id", "failures"])
            #expect(found["expires_at"]?["expireAfterSeconds"]?.int == 0)
            #expect(found["failures"]?["partialFilterExpression"]?.document?.fields.map(\.key) == ["outcome"])
            #expect(found["device_token_date"]?["key"]?.document?.fields.map(\.key) == ["device_token", "date"])
        }
    }

    @Test func anIndexWithOtherSettingsIsLeftAloneAndNamed() throws {
        try TestStore.withLog { log in
            let theirs = MongoIndex(name: "expires_at", keys: [.ascending("expires_at")], expireAfterSeconds: 3600)
            _ = try log.collection.ensureIndexes([theirs])
            let error = #expect(throws: MongoError.self) { try ensure(log) }
            #expect(error?.code == .indexConflict)
            #expect(error?.reason.contains("deliveries.dropIndex(\"expires_at\")") == true)
            #expect(try specifications(log)["expires_at"]?["expireAfterSeconds"]?.int == 3600)
        }
    }

    @Test func aQueryUsesTheIndexThatIsThereForIt() throws {
        let cases: [(DeliveryQuery, String)] = [
            (DeliveryQuery(deviceToken: Array("ffee".utf8)[...]), "device_token_date"),
            (DeliveryQuery(batch: BatchName("b")), "batch_id"),
            (DeliveryQuery(batch: BatchName("b", includesParts: false)), "batch_id"),
            (DeliveryQuery(batch: BatchName("b"), client: "acme", since: 1), "batch_id"),
            (DeliveryQuery(outcomes: [.rejected]), "failures"),
            (DeliveryQuery(outcomes: [.rejected, .unknown]), "failures"),
            (DeliveryQuery(reason: "Unregistered"), "failures"),
        ]
        try TestStore.withLog { log in
            _ = try ensure(log)
            try log.writer.write((0..<100).map { LogEntry(record: .sample($0)) })
            for (query, index) in cases {
                let plan = try log.client.command(database: log.options.database, explanation(of: query))
                let winner = try #require(plan["queryPlanner"]?.document?["winningPlan"]?.document)
                #expect(indexName(winner) == index)
            }
        }
    }

    @Test func theHistoryOfATokenComesSortedFromItsIndex() throws {
        try TestStore.withLog { log in
            _ = try ensure(log)
            try log.writer.write((0..<100).map { LogEntry(record: .sample($0)) })
            let query = DeliveryQuery(deviceToken: Array("ffee".utf8)[...])
            let plan = try log.client.command(database: log.options.database, explanation(of: query))
            let winner = try #require(plan["queryPlanner"]?.document?["winningPlan"]?.document)
            #expect(!stages(winner).contains("SORT"))
        }
    }

    private func explanation(of query: DeliveryQuery) -> BSONDocument {
        BSONDocument { writer in
            writer.append(
                "explain",
                document: { find in
                    find.append("find", string: "deliveries")
                    find.append("filter", document: query.filter(tokenForm: TokenForm(tokens: .plain), scope: .all))
                    find.append("sort", document: { $0.append("date", int: -1) })
                }
            )
        }
    }

    private func stages(_ stage: BSONDocument) -> [String] {
        let inner = (stage["inputStage"] ?? stage["queryPlan"])?.document
        return [stage["stage"]?.string ?? ""] + (inner.map(stages) ?? [])
    }

    private func indexName(_ stage: BSONDocument) -> String? {
        if let name = stage["indexName"]?.string { return name }
        let inner = stage["inputStage"] ?? stage["queryPlan"]
        let either = (stage["inputStages"]?.elements ?? []).compactMap(\.document)
        let names = Set((either + [inner?.document].compactMap(\.self)).map { indexName($0) })
        return names.count == 1 ? names.first ?? nil : nil
    }
}
