import ArgumentParser
import Testing
import WaybillDeliveryLog
import WaybillDeviceRegistry
import WaybillDeviceRegistryTestSupport
import WaybillMongo
import WaybillOperations

@testable import waybill

@Suite struct LogsTextTests {
    private static let plain = Palette(isColoured: false)

    private func delivery(
        _ outcome: String = "accepted",
        status: Int? = 200,
        reason: String? = nil,
        message: String? = "Hello",
        lane: String = "parcels",
        topic: String = "com.example.app"
    ) -> LoggedDelivery {
        LoggedDelivery(
            document: BSONDocument { writer in
                writer.append("_id", uuid: 1, 2)
                writer.append("device_token", string: "0123456789abcdef0123456789abcdef")
                writer.append("outcome", string: outcome)
                if let status { writer.append("status_code", int: status) }
                if let reason { writer.append("reason", string: reason) }
                if let message { writer.append("message", string: message) }
                writer.append("date", date: 1_795_233_906_789)
                writer.append("batch_id", string: "campaign-42")
                writer.append("lane", string: lane)
                writer.append("topic", string: topic)
                writer.append("attempts", int: 2)
                writer.append("latency_ms", double: 12.345)
                writer.append(
                    "history",
                    array: { array in
                        array.append(document: { attempt in
                            attempt.append("date", date: 1_795_233_900_000)
                            attempt.append("status_code", int: 503)
                            attempt.append("reason", string: "Shutdown")
                        })
                    }
                )
            }
        )
    }

    @Test func aTableHasAHeadingAndALineForEachRecord() {
        let lines = DeliveryTable(width: 112, palette: Self.plain).lines([
            delivery(), delivery("rejected", status: 400, reason: "BadTopic"),
        ])
        #expect(
            lines == [
                "DATE (UTC)               OUTCOME   STATUS  REASON    TOKEN          LANE     BATCH        TRIES  MESSAGE",
                "2026-11-21 04:05:06.789  accepted     200            012345…abcdef  parcels  campaign-42      2  Hello",
                "2026-11-21 04:05:06.789  rejected     400  BadTopic  012345…abcdef  parcels  campaign-42      2  Hello",
            ]
        )
    }

    @Test(arguments: [400, 200, 160, 130, 110, 100, 80, 70, 60, 50, 40]) func aLineFitsTheWidth(width: Int) {
        let long = delivery("token_invalid", reason: "TopicDisallowed", message: String(repeating: "日本語 ", count: 50))
        for showsIDs in [false, true] {
            for line in DeliveryTable(width: width, palette: Self.plain, showsIDs: showsIDs).lines([long]) {
                #expect(Cell.width(line) <= width)
            }
        }
    }

    @Test func aWideTerminalShowsTheWholeTokenAndTheMessageTheRest() {
        let long = delivery(message: String(repeating: "word ", count: 100))
        let lines = DeliveryTable(width: 200, palette: Self.plain).lines([long])
        #expect(lines.last?.contains("0123456789abcdef0123456789abcdef") == true)
        #expect(lines.last.map(Cell.width) == 200)
    }

    @Test func aPipeGetsEverythingWhole() {
        let reason = "device_token: must be hexadecimal digits, an even number of them from 2 to 400"
        let message = String(repeating: "word ", count: 100) + "end"
        let line = DeliveryTable(width: nil, palette: Self.plain).lines([delivery(reason: reason, message: message)])[1]
        #expect(line.contains("0123456789abcdef0123456789abcdef"))
        #expect(line.contains(reason))
        #expect(line.hasSuffix(message))
    }

    @Test(
        arguments: [
            (nil, nil, 80), (nil, 132, 132), ("100", 132, 100), ("", 132, 132), ("0", 132, 132), ("wide", nil, 80),
            ("10", nil, 40),
        ] as [(String?, Int?, Int)]
    )
    func theWidthIsWhatColumnsOrTheTerminalSays(environment: String?, measured: Int?, width: Int) {
        #expect(Screen.columns(environment: environment, measured: measured) == width)
    }

    private static let id = "00000000-0000-0001-0000-000000000002"

    /// A pipe and a wide terminal have room for it; elsewhere it takes the place of what it stands for.
    @Test(
        arguments: [(nil, false), (160, false), (200, false), (100, true), (80, true), (200, true)] as [(Int?, Bool)]
    )
    func theIDThatExplainTakesIsShownWhole(width: Int?, isAskedFor: Bool) {
        let table = DeliveryTable(width: width, palette: Self.plain, showsIDs: isAskedFor)
        let lines = table.lines([delivery("token_invalid", status: 410, reason: "Unregistered")])
        #expect(lines.first?.contains("APNS-ID") == true)
        #expect(lines.last?.contains(Self.id) == true)
        #expect(lines.last?.contains("Unreg") == true)
        #expect(lines.allSatisfy { Cell.width($0) <= width ?? .max })
    }

    @Test func theTopicIsShownWhereALaneHasSeveral() {
        let table = DeliveryTable(width: 160, palette: Self.plain)
        #expect(table.lines([delivery(), delivery(lane: "b", topic: "b")]).first?.contains("TOPIC") == false)
        #expect(table.lines([delivery(), delivery(topic: "b")]).first?.contains("TOPIC") == true)
    }

    @Test func aMessageCannotDriveTheTerminal() {
        let text = Cell.printable("a\u{1b}[31mb\nc\td\u{7f}\u{9b}\u{202e}e\u{0}")
        #expect(text == #"a[U+001B][31mb\nc\td[U+007F][U+009B][U+202E]e\0"#)
    }

    @Test func aTextOfOthersThatIsVeryLongIsCutInASentence() {
        let text = String(repeating: "x", count: 50_000)
        #expect(Cell.printable(text) == String(repeating: "x", count: Cell.longest) + "… (50000 characters)")
        #expect(Cell.whole(text) == text)
    }

    @Test(arguments: [("abc", 3), ("é", 1), ("日本", 4), ("🚚", 2), ("e\u{301}", 1), ("", 0)])
    func widthIsCountedInColumns(text: String, width: Int) {
        #expect(Cell.width(text) == width)
    }

    @Test func textIsCutAtTheEndOrInTheMiddle() {
        #expect(Cell.clipped("abcdef", to: 6) == "abcdef")
        #expect(Cell.clipped("abcdefg", to: 6) == "abcde…")
        #expect(Cell.clipped("日本語", to: 5) == "日本…")
        #expect(Cell.shortened("abcdefg", to: 7) == "abcdefg")
        #expect(Cell.shortened("abcdefgh", to: 5) == "ab…gh")
    }

    @Test func aStorySaysWhatHappenedAndWhatItMeans() {
        let lines = DeliveryStory(width: 80, clipsMessages: true, palette: Self.plain).lines([
            delivery("token_invalid", status: 410, reason: "Unregistered")
        ])
        #expect(lines.first == "2026-11-21 04:05:06.789  token_invalid  410 Unregistered")
        #expect(lines.dropFirst().first?.contains("APNs refused the device token") == true)
        #expect(lines.contains("  token       0123456789abcdef0123456789abcdef"))
        #expect(lines.contains("  attempts    2, answered after 12.3 ms"))
        #expect(lines.contains("  kept        forever"))
        #expect(lines.last == "  attempt 1   2026-11-21 04:05:00.000  503 Shutdown")
    }

    /// With the same words as `explain`, and without a word that the token is dead.
    @Test(arguments: [Fuse.State.blown, .released, .discarded])
    func aStorySaysWhatAFuseDoesWithTheEvent(state: Fuse.State) {
        let said: Int64 = 1_795_233_906_789
        let decision = FuseDecision(name: "anna@push-1", date: said + 60_000, note: "sandbox key")
        let fuse = Fuse.sample(state, .sample(at: said + 1000, since: said - 1000), decision: decision)
        let dead = delivery("token_invalid", status: 410, reason: "Unregistered")
        var story = DeliveryStory(width: 200, clipsMessages: true, palette: Self.plain)
        let silent = story.lines([dead])
        #expect(!silent.contains { $0.hasPrefix("  fuse") })
        #expect(silent[1].contains("stop sending to it"))
        story.fuses = FuseStory([fuse])
        let lines = story.lines([dead])
        // What was released before prune had taken it was never held.
        guard state != .released else { return #expect(lines == silent) }
        let told = lines.drop { !$0.hasPrefix("  fuse") }.joined(separator: " ")
        let words =
            state == .blown
            ? "04:05:07.789  to be held when prune takes it, by the fuse of the lane parcels and com.example.app, until a person decides: 90 of 100"
            : "04:06:06.789  discarded with what the fuse of the lane parcels and com.example.app held, by anna@push-1 (sandbox key)"
        #expect(
            told.split(separator: " ").joined(separator: " ").contains(
                words.split(separator: " ").joined(separator: " ")
            ),
            "\(lines)"
        )
        #expect(!lines[1].contains("stop sending to it"), "\(lines)")
        #expect(
            story.lines([delivery()])
                == DeliveryStory(width: 200, clipsMessages: true, palette: Self.plain).lines([delivery()])
        )
    }

    @Test(arguments: [500, 403]) func anAnswerWithoutAReasonIsToldAsSuch(status: Int) {
        let lines = DeliveryStory(width: 160, clipsMessages: true, palette: Self.plain).lines([
            delivery("rejected", status: status)
        ])
        #expect(lines.first?.hasSuffix("rejected  \(status) no reason given") == true)
        #expect(lines.dropFirst().first?.contains("APNs gave no reason (status \(status))") == true)
    }

    /// A pass that sent a push and had no answer is told from one that sent none.
    @Test(
        arguments: [
            (1, [], "it was sent, no answer came"), (0, [], "it was not sent this time"),
            (4, [(1_795_233_906_789, nil)], "it was sent, no answer came"),
            (4, [(1_795_233_900_000, nil)], "it was not sent this time"),
            (4, [(1_795_233_906_789, 503)], "it was not sent this time"),
        ] as [(Int, [(Int64, Int?)], String)]
    )
    func aDeferredPushThatWasSentIsToldSo(attempts: Int, history: [(Int64, Int?)], words: String) {
        let record = LoggedDelivery(
            document: BSONDocument { writer in
                writer.append("_id", uuid: 1, 2)
                writer.append("outcome", string: "deferred")
                writer.append("reason", string: "timeout")
                writer.append("date", date: 1_795_233_906_789)
                writer.append("attempts", int: attempts)
                writer.append(
                    "history",
                    array: { array in
                        for (date, status) in history {
                            array.append(document: { attempt in
                                attempt.append("date", date: date)
                                if let status { attempt.append("status_code", int: status) }
                                attempt.append("reason", string: "timeout")
                            })
                        }
                    }
                )
            }
        )
        let story = DeliveryStory(width: 200, clipsMessages: true, palette: Self.plain).lines([record])
        #expect(story[1].contains(words), "\(story)")
    }

    @Test func aStoryShowsTheIDByWhichItWasFound() {
        let given = LoggedDelivery(
            document: BSONDocument { writer in
                writer.append("_id", uuid: 1, 2)
                writer.append("apns_id", uuid: 3, 4)
                writer.append("outcome", string: "invalid")
                writer.append("reason", string: "mesage: not a field of a notification; did you mean message?")
                writer.append("date", date: 1_795_233_906_789)
                writer.append("attempts", int: 0)
                writer.append("priority", int: 10)
            }
        )
        let lines = DeliveryStory(width: 200, clipsMessages: true, palette: Self.plain).lines([given])
        #expect(lines.contains("  given id    00000000-0000-0003-0000-000000000004"))
        #expect(lines[1].contains("of APNs, of Waybill or of the configuration"))
        #expect(lines.contains("  to be sent  priority 10"))
    }

    @Test func aStoryShowsHowItWasSent() {
        let record = LoggedDelivery(
            document: BSONDocument { writer in
                writer.append("outcome", string: "accepted")
                writer.append("date", date: 1_795_233_906_789)
                writer.append("attempts", int: 20)
                writer.append("push_type", string: "alert")
                writer.append("expiration", int: 0)
                writer.append("collapse_id", string: "order-7")
            }
        )
        let lines = DeliveryStory(width: 200, clipsMessages: true, palette: Self.plain).lines([record])
        #expect(lines.contains("  push type   alert"))
        #expect(lines.contains("  collapse id order-7"))
        #expect(lines.contains("  sent with   expiration 0: APNs does not store it"))
    }

    @Test func aStoryShowsWhatTheMessageDoesNotSay() {
        let record = LoggedDelivery(
            document: BSONDocument { writer in
                writer.append("outcome", string: "expired")
                writer.append("reason", string: "expiration")
                writer.append("date", date: 1_795_233_906_789)
                writer.append("attempts", int: 1)
                writer.append("push_type", string: "background")
                writer.append("push_type_from", string: "payload")
                writer.append("expiration", int: 0)
                writer.append("expiration_from", string: "lane")
            }
        )
        let lines = DeliveryStory(width: 200, clipsMessages: true, palette: Self.plain).lines([record])
        #expect(lines.contains("  push type   background, derived from the payload"))
        #expect(lines.contains("  sent with   expiration 0 (the lane's): APNs does not store it"))
        #expect(lines[1].contains("too late: the expiration that its lane sets had passed"))
    }

    @Test(arguments: [("00fc13ad", true), (String(repeating: "0f", count: 32), false)])
    func aTokenThatIsNotWholeIsToldSo(digits: String, isTold: Bool) throws {
        let filters = try LogFilters.parse(["--token", digits])
        #expect((filters.hint?.contains("as a whole") == true) == isTold)
    }

    @Test(arguments: ["BadDeviceToken", "InvalidProviderToken", "Unregistered"]) func aStoryFitsThePage(reason: String)
    {
        let record = delivery(
            "rejected",
            status: 400,
            reason: reason,
            message: String(repeating: "many words ", count: 30)
        )
        for line in DeliveryStory(width: 80, clipsMessages: true, palette: Self.plain).lines([record]) {
            #expect(Cell.width(line) <= 80)
        }
    }

    @Test func coloursAreForTerminals() {
        let lines = DeliveryTable(width: 160, palette: Palette(isColoured: true)).lines([delivery()])
        #expect(lines.last?.contains("\u{1b}[32maccepted\u{1b}[0m") == true)
        #expect(lines.first?.hasPrefix("\u{1b}[1m") == true)
    }
}
