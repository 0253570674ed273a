import Testing
import WaybillCore
import WaybillEncoding
import WaybillMongo
import WaybillMongoTestSupport

@testable import WaybillDeliveryLog

/// What is told in memory is what the store would answer.
@Suite(.enabled(if: TestDatabase.isAvailable)) struct DeliveryMatchTests {
    /// Two spellings of one character, which no store takes for the same; and what a pattern could make something of.
    private static let names: [String?] = [
        nil, "acme", "Acme", "acme.1", "acme.12", "acme.1b", "acme.", "acme/1", "acmee.1", "caf\u{E9}", "cafe\u{301}",
        "caf\u{E9}.1", "a.b", "a.b.7", "axb.7", "a(b", "a(b.3", "a\nb", "a.b.7\n",
    ]
    private static let words = ["accepted", "rejected", "unknown", "token_invalid", "deferred", "aaa", "newer"]
    private static let reasons: [String?] = [nil, "BadTopic", "Unregistered"]

    private struct Source: RandomNumberGenerator {
        var state: UInt64

        mutating func next() -> UInt64 {
            state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
            return (state ^ state >> 29) &* 0x9E37_79B9_7F4A_7C15
        }
    }

    private static func record(_ number: Int, _ source: inout Source) -> BSONWriter {
        let document = BSONWriter(capacity: 512)
        document.append("_id", uuid: 7, UInt64(number))
        if number.isMultiple(of: 9) { document.append("apns_id", uuid: 8, UInt64(number)) }
        document.append("device_token", string: ["00aa", "00AA", "00ab"].randomElement(using: &source)!)
        document.append("outcome", string: words.randomElement(using: &source)!)
        document.append(recordDate: Int64(number))
        let texts: [(StaticString, [String?])] = [
            ("client", names), ("service_id", names), ("batch_id", names), ("lane", names), ("topic", names),
            ("reason", reasons),
            ("push_type", ["alert", "background", nil]),
        ]
        for (name, values) in texts {
            if let value = values.randomElement(using: &source)! { document.append(name, string: value) }
        }
        document.append("priority", int: [1, 5, 10].randomElement(using: &source)!)
        return document
    }

    /// Conditions that each match something.
    private static func query(_ source: inout Source) -> DeliveryQuery {
        func word(_ values: [String?], _ source: inout Source) -> String? {
            Int.random(in: 0..<4, using: &source) == 0 ? values.randomElement(using: &source)! : nil
        }
        func texts(_ values: [String?], _ source: inout Source) -> TextFilter {
            func some(_ count: Int) -> [String] {
                (0..<count).compactMap { _ in values.randomElement(using: &source)! }
            }
            guard Int.random(in: 0..<4, using: &source) == 0 else { return .all }
            let wanted = some(.random(in: 0...2, using: &source))
            return TextFilter(wanted, excluding: some(.random(in: 0...2, using: &source)))
        }
        var query = DeliveryQuery()
        if Int.random(in: 0..<4, using: &source) == 0, let name = names.randomElement(using: &source)! {
            query.batch = BatchName(name, includesParts: .random(using: &source))
        }
        query.client = texts(names, &source)
        query.service = texts(names, &source)
        query.lane = texts(names, &source)
        query.topic = texts(names, &source)
        query.reason = texts(reasons, &source)
        query.pushType = texts(["alert", "background"], &source)
        query.priority = word(["5"], &source).flatMap(Int.init)
        query.deviceToken = word(["00aa"], &source).map { Array($0.utf8)[...] }
        query.outcomes = word(["accepted", "rejected"], &source).flatMap(Outcome.init).map { [$0] } ?? []
        query.excludedOutcomes = word(["accepted", "unknown"], &source).flatMap(Outcome.init).map { [$0] } ?? []
        if Int.random(in: 0..<12, using: &source) == 0 {
            query.id = NotificationID(
                high: .random(in: 7...8, using: &source),
                low: .random(in: 0..<300, using: &source)
            )
        }
        return query
    }

    private static func scope(_ source: inout Source) -> DeliveryScope {
        switch Int.random(in: 0..<4, using: &source) {
        case 0: .all
        case 1: .clients([])
        default: .clients(Set(exactly: (0..<3).compactMap { _ in names.randomElement(using: &source)! }))
        }
    }

    @Test func everyQuestionHasTheStoresAnswer() throws {
        var source = Source(state: 20_261_122)
        try TestStore.withLog { log in
            let bulk = log.collection.bulk()
            for number in 0..<300 { try bulk.insert(Self.record(number, &source)) }
            try bulk.execute().requireDurable("insert")
            let all = try log.collection.find(.empty).all().map { LoggedDelivery(document: $0) }
            try #require(all.count == 300)
            var (matched, scoped) = (0, 0)
            for _ in 0..<1500 {
                let (query, scope) = (Self.query(&source), Self.scope(&source))
                let filter = query.filter(tokenForm: TokenForm(tokens: log.options.tokens), scope: scope)
                let wanted = try log.collection.find(filter).all().map { LoggedDelivery(document: $0).id }
                let match = DeliveryMatch(query: query, options: log.options, scope: scope)
                let found = all.filter { match.includes($0) }.map(\.id)
                #expect(Set(found) == Set(wanted), "\(query) of \(scope)")
                matched += found.isEmpty ? 0 : 1
                scoped += found.isEmpty || scope == .all ? 0 : 1
            }
            // The questions are not all about nothing.
            #expect(matched > 200)
            #expect(scoped > 50)
        }
    }

    @Test func anotherSpellingIsAnotherClient() throws {
        let document = BSONDocument { $0.append("client", string: "cafe\u{301}") }
        let record = LoggedDelivery(document: document)
        let options = DeliveryLogOptions(database: "x", retention: RetentionPolicy(default: .keep))
        func includes(_ scope: DeliveryScope) -> Bool {
            DeliveryMatch(query: DeliveryQuery(), options: options, scope: scope).includes(record)
        }
        #expect(!includes(.clients(["caf\u{E9}"])))
        #expect(includes(.clients(["cafe\u{301}"])))
        #expect(!includes(.clients([])))
        #expect(includes(.all))
    }

    @Test func aTokenIsFoundInItsStoredForm() throws {
        let key = Array("0123456789abcdef0123456789abcdef".utf8)
        try TestStore.withLog(tokens: .digest(key: key)) { log in
            try log.write(.sample(1, token: "00aa"), .sample(2, token: "00ab"))
            let all = try log.collection.find(.empty).all().map { LoggedDelivery(document: $0) }
            let query = DeliveryQuery(deviceToken: Array("00ab".utf8)[...])
            let match = DeliveryMatch(query: query, options: log.options, scope: .all)
            #expect(all.filter { match.includes($0) }.map(\.id?.low) == [2])
        }
    }
}
