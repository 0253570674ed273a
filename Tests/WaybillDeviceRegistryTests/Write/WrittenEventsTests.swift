import Testing
import WaybillCore
import WaybillDeviceRegistryTestSupport

@testable import WaybillDeviceRegistry
@testable import WaybillMongo

@Suite struct WrittenEventsTests {
    private static let events = ["aa", "bb", "cc"].map { RemovalCases.dead(token: $0) }
    private static let duplicateKey = 11_000

    private func written(
        matched: Int,
        upserted: Int,
        errors: [(index: Int, code: Int)] = []
    ) throws(MongoError) -> WrittenEvents {
        let reply = BSONDocument { writer in
            writer.append("nMatched", int: matched)
            writer.append("nUpserted", int: upserted)
            writer.append(
                "writeErrors",
                array: { array in
                    for error in errors {
                        array.append(document: { document in
                            document.append("index", int: error.index)
                            document.append("code", int: error.code)
                        })
                    }
                }
            )
        }
        let answer = MongoBulkResult(reply: reply, count: Self.events.count, failure: nil, operation: "test")
        return try WrittenEvents(answer, of: Self.events, operation: "test")
    }

    @Test func everyEventIsChangedCreatedOrUnmet() throws {
        let written = try written(matched: 1, upserted: 1, errors: [(index: 1, code: Self.duplicateKey)])
        #expect(written.changed == 1)
        #expect(written.created == 1)
        #expect(written.unmet == [Self.events[1]])
    }

    @Test(arguments: [(0, 0), (1, 1), (0, 4)])
    func anAnswerThatDoesNotAccountForEveryWriteIsNotDurable(matched: Int, upserted: Int) {
        let error = #expect(throws: MongoError.self) { try written(matched: matched, upserted: upserted) }
        #expect(error?.code == .notDurable)
        #expect(error?.reason == "the answer accounts for \(matched + upserted) of 3 events")
    }

    @Test func aRefusalThatIsNoDuplicateFails() {
        let error = #expect(throws: MongoError.self) {
            try written(matched: 1, upserted: 1, errors: [(index: 2, code: 121)])
        }
        #expect(error?.code == .commandFailed)
        #expect(error?.nativeCode == 121)
    }

    /// A missing right, a time limit, a missing majority: nothing is wrong with the event.
    @Test(arguments: [(13, MongoError.Code.accessRefused), (50, .timeLimitExceeded), (64, .notDurable)])
    func aRefusalOfEveryWriteIsNotAboutTheEvent(native: Int, code: MongoError.Code) {
        let error = #expect(throws: MongoError.self) {
            try written(matched: 1, upserted: 1, errors: [(index: 2, code: native)])
        }
        #expect(error?.code == code)
        #expect(error?.isAboutTheQuery == false)
    }
}
