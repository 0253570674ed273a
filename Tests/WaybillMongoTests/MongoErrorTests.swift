import Testing
import WaybillMongoTestSupport

@testable import WaybillMongo

@Suite struct MongoErrorTests {
    @Test(arguments: ["", "http://localhost", "mongodb://", "mongodb://u:hun/ter2@host:99999/"])
    func aURLThatCannotBeUsedIsRefusedWithoutRepeatingIt(url: String) {
        let error = #expect(throws: MongoError.self) { try MongoPool(url: url, applicationName: "test") }
        #expect(error?.code == .invalidURL)
        #expect(error?.isRetriable == false)
        #expect(error.map { "\($0)".contains("ter2") } == false)
    }

    @Test func aDeploymentThatIsNotThereIsUnreachableWithinItsTime() throws {
        let url = "mongodb://user:hunter2@127.0.0.1:1/?serverSelectionTimeoutMS=200&authMechanism=PLAIN"
        let pool = try MongoPool(url: url, applicationName: "test")
        let error = #expect(throws: MongoError.self) {
            try pool.withClient { client throws(MongoError) in try client.ping() }
        }
        #expect(error?.code == .unreachable)
        #expect(error?.isRetriable == true)
        #expect(error.map { "\($0)".contains("hunter2") } == false)
    }

    /// Who looks at the state knows no driver.
    @Test(
        arguments: [
            (
                MongoError(
                    code: .unreachable,
                    operation: "ping",
                    reason: "nobody listens (No suitable servers found)",
                    nativeCode: 13053
                ),
                "nobody listens"
            ),
            (
                MongoError(
                    code: .unreachable,
                    operation: "ping",
                    reason: "Failed to read 4 bytes: socket error",
                    nativeCode: 4
                ),
                "the connection broke, or no answer came in time"
            ),
            (
                MongoError(
                    code: .timeLimitExceeded,
                    operation: "find on processes",
                    reason: "operation\nexceeded",
                    nativeCode: 50
                ),
                "an answer takes too long (find on processes: operation exceeded (code 50))"
            ),
            (
                MongoError(
                    code: .notDurable,
                    operation: "insert into deliveries",
                    reason: "waiting for replication timed out",
                    nativeCode: 64
                ),
                "most members of the replica set have not confirmed what was written "
                    + "(insert into deliveries: waiting for replication timed out (code 64))"
            ),
        ]
    )
    func whatIsWrongIsAPlainSentence(error: MongoError, text: String) {
        #expect(error.plain == text)
    }

    @Test func aPoolThatIsEmptySaysSo() throws {
        let pool = try MongoPool(
            url: "mongodb://127.0.0.1:1/?waitQueueTimeoutMS=10",
            applicationName: "test",
            maximumClients: 1
        )
        let only = try pool.pop()
        let error = #expect(throws: MongoError.self) { _ = try pool.pop() }
        #expect(error?.code == .poolExhausted)
        pool.push(only)
        try pool.push(pool.pop())
    }

    @Test func aClientThatIsDroppedGoesBackToItsPool() throws {
        let pool = try MongoPool(
            url: "mongodb://127.0.0.1:1/?waitQueueTimeoutMS=10",
            applicationName: "test",
            maximumClients: 1
        )
        for _ in 0..<3 { _ = try pool.pop() }
    }

    @Test(
        arguments: [
            (
                MongoError.Code.accessRefused,
                "not authorized on waybill to execute command { find: \"deliveries\", lsid: { id: UUID(\"1\") }, signature: 7 }",
                "not authorized on waybill to execute find"
            ),
            (
                .accessRefused, "Authentication failed.",
                "the login is refused; compare user, password, and the database behind the hosts of the URL "
                    + "(Authentication failed.)"
            ),
            (
                .unreachable, "No suitable servers found: `serverSelectionTimeoutMS` expired",
                "no server is the primary that the URL wants: the replica set has none now, or replicaSet is another name "
                    + "(No suitable servers found: `serverSelectionTimeoutMS` expired)"
            ),
            (
                .unreachable, "No suitable servers found: x: [Failed to read 4 bytes: socket error or timeout]",
                "a server is there and does not answer: it hangs, is stopped, or speaks TLS where the URL does not "
                    + "(No suitable servers found: x: [Failed to read 4 bytes: socket error or timeout])"
            ),
            (
                .unreachable, "No suitable servers found: x: [Failed to connect to target host: 127.0.0.1:9]",
                "nobody listens at the hosts of the URL "
                    + "(No suitable servers found: x: [Failed to connect to target host: 127.0.0.1:9])"
            ),
            (
                .unreachable, "No suitable servers found: x: [Failed to resolve nohost.invalid]",
                "a host of the URL is not known by that name (No suitable servers found: x: [Failed to resolve nohost.invalid])"
            ),
            (.commandFailed, "not primary", "not primary"),
        ]
    )
    func theServersWordsAreExplained(code: MongoError.Code, text: String, words: String) {
        #expect(ServerText.explained(text, code) == words)
    }

    @Test func aDuplicateKeysValueIsNotRepeated() {
        let text = "E11000 duplicate key error collection: a.b index: _id_ dup key: { device_token: \"abc\" }"
        #expect(ServerText.withoutValues(text) == "E11000 duplicate key error collection: a.b index: _id_")
        #expect(ServerText.withoutValues("not primary") == "not primary")
        let query = "error processing query: ns=a.bTree: device_token $eq \"abc\"\nProj: {}\n"
        #expect(ServerText.withoutValues(query + " planner returned error :: caused by :: No plan") == "No plan")
    }
}

/// Refusals of one query, and outages.
@Suite struct MongoRefusalTests {
    private static func error(_ code: MongoError.Code, _ native: UInt32 = 0) -> MongoError {
        MongoError(code: code, operation: "find in devices", reason: "words", nativeCode: native)
    }

    /// Bad value, type mismatch, failed validation, a refused pattern, no memory for a query, division by zero.
    @Test(arguments: [2, 9, 14, 28, 52, 57, 66, 121, 146, 292, 16755, 17280, 40415, 51091, 4_848_401] as [UInt32])
    func aServersCodeIsAboutTheQuery(native: UInt32) {
        #expect(Self.error(ServerCode.meaning(of: native), native).isAboutTheQuery)
    }

    /// Elections, lost connections and cursors, time limits, majorities, interruptions, too much load.
    @Test(
        arguments: [
            6, 8, 43, 50, 64, 91, 112, 189, 206, 239, 261, 279, 355, 365, 402, 433, 449, 10107, 11600, 11601, 12586,
        ] as [UInt32]
    )
    func anOutageIsNotAboutTheQueryAndPasses(native: UInt32) {
        let error = Self.error(ServerCode.meaning(of: native), native)
        #expect(!error.isAboutTheQuery && error.isRetriable)
    }

    /// No code, rights, no replica set, closed writes, settings, damaged data, a full disk.
    @Test(arguments: [0, 11, 13, 18, 20, 39, 148, 214, 264, 301, 323, 371, 411, 8000, 14031] as [UInt32])
    func whatTheOperatorCuresIsNotAboutTheQuery(native: UInt32) {
        let error = Self.error(ServerCode.meaning(of: native), native)
        #expect(!error.isAboutTheQuery && !error.isRetriable)
    }

    @Test func aLabelOfTheServerSaysThatARefusalPasses() {
        let error = MongoError(code: .commandFailed, operation: "", reason: "", nativeCode: 2, hasRetriableLabel: true)
        #expect(!error.isAboutTheQuery && error.isRetriable)
    }

    /// The driver reads what it sends, and refuses what no server would take.
    @Test(.enabled(if: TestDatabase.isAvailable))
    func aDocumentThatTheDriverRefusesIsAboutTheQuery() throws {
        try TestStore.withCollection { collection in
            let plain = BSONDocument { $0.append("a", int: 1) }
            let error = #expect(throws: MongoError.self) {
                try collection.bulk().updateOne(filter: .empty, update: plain, upsert: false)
            }
            #expect(error?.code == .documentTooLarge && error?.isAboutTheQuery == true)
        }
    }

    @Test func whatTheDriverSaysIsAnOutageUnlessTheDocumentIsTooLarge() {
        for code in [MongoError.Code.unreachable, .poolExhausted, .notDurable, .accessRefused, .invalidURL] {
            #expect(!Self.error(code, 7).isAboutTheQuery)
        }
        #expect(Self.error(.documentTooLarge).isAboutTheQuery)
        let refusal = Self.error(.commandFailed, 2).refusal
        #expect(refusal == "the store refuses the query (find in devices: words (code 2))")
    }
}
