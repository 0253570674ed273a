import ArgumentParser
import Testing
import WaybillCore
import WaybillDeliveryLog
import WaybillMongo

@testable import waybill

@Suite struct ExplainTextTests {
    private static let day: Int64 = 1_795_233_906_789

    private func text(width: Int = 80) -> ExplainText {
        ExplainText(width: width, clipsMessages: true, palette: Palette(isColoured: false))
    }

    private func story(of outcome: String = "token_invalid") -> NotificationStory {
        let record = LoggedDelivery(
            document: BSONDocument { writer in
                writer.append("_id", uuid: 1, 2)
                writer.append("outcome", string: outcome)
                writer.append("reason", string: "Unregistered")
                writer.append("date", date: Self.day)
            }
        )
        return NotificationStory(
            record: record,
            steps: [
                StoryStep(.published, date: Self.day - 5, text: "by its producer's clock"),
                StoryStep(.outcome, date: Self.day, text: outcome),
                StoryStep(.event, date: Self.day, text: "dead token"),
                StoryStep(.registry, date: Self.day + 10, text: "disabled", reason: "Unregistered"),
            ],
            meaning: "m",
            next: ["Stop sending.", "Look at it."]
        )
    }

    @Test func aStoryEndsWithWhatToDo() {
        let lines = text().lines(NotificationStories(notifications: [story()], next: []))
        #expect(lines.first == "2026-11-21 04:05:06.789  token_invalid  Unregistered")
        #expect(
            lines.suffix(6) == [
                "  published   2026-11-21 04:05:06.784  by its producer's clock",
                "  event       2026-11-21 04:05:06.789  dead token",
                "  registry    2026-11-21 04:05:06.799  disabled  Unregistered",
                "",
                "  next        Stop sending.",
                "              Look at it.",
            ]
        )
    }

    /// The story knows more than its record, which would call the token dead.
    @Test func whatAFuseDoubtsIsToldInTheStorysOwnWords() {
        var story = story()
        story.meaning = "APNs refused the device token"
        story.steps.append(StoryStep(.fuse, date: Self.day, text: "held by the fuse of the lane parcels"))
        let lines = text().lines(NotificationStories(notifications: [story], next: []))
        #expect(lines.dropFirst().first == "  APNs refused the device token")
        #expect(lines.contains("  fuse        2026-11-21 04:05:06.789  held by the fuse of the lane parcels"))
    }

    @Test func whenItIsTriedAgainFitsOnTheScreen() {
        var story = story(of: "deferred")
        let latest = "2026-11-21T04:20:06.789Z"
        story.steps.append(
            StoryStep(
                .due,
                date: Self.day,
                text: "not before, and by \(latest) at the latest its delay is over; then as soon as its lane sends"
            )
        )
        let lines = text().lines(NotificationStories(notifications: [story], next: []))
        #expect(lines.contains { $0.hasPrefix("  due         2026-11-21 04:05:06.789  not before") })
        #expect(lines.allSatisfy { $0.count <= 80 }, "\(lines)")
    }

    @Test func whatIsSoNowComesBeforeWhatToDo() {
        let stories = NotificationStories(
            notifications: [story(), story(of: "deferred")],
            now: ["No dispatcher runs."],
            next: ["Stop sending.", "Look at it."]
        )
        let end = [
            "", "  now         No dispatcher runs.", "", "  next        Stop sending.", "              Look at it.",
        ]
        #expect(text().lines(stories).suffix(5) == end[...])
    }

    @Test func aBatchIsShownByItsOutcomesAndFailures() {
        let group = { (outcome: String, reason: String?, count: Int) in
            DeliveryGroup(
                outcome: outcome,
                reason: reason,
                lane: "parcels",
                count: count,
                first: Self.day,
                last: Self.day + 1000,
                examples: [NotificationID(high: 1, low: 2)]
            )
        }
        let story = BatchStory(
            name: "campaign",
            groups: [
                group("accepted", nil, 997), group("rejected", "BadTopic", 2), group("deferred", "unreachable", 1),
            ],
            sample: nil,
            next: ["Do."]
        )
        #expect(
            text().lines(story) == [
                "batch campaign  1000 records",
                "  outcomes from 2026-11-21 04:05:06.789 to 2026-11-21 04:05:07.789",
                "  accepted  #############################    997",
                "  rejected  #                                  2",
                "  deferred  #                                  1",
                "",
                "still on its way",
                "  1  deferred unreachable  lane parcels",
                "  seen        2026-11-21 04:05:06.789 to 2026-11-21 04:05:07.789",
                "  examples    00000000-0000-0001-0000-000000000002",
                "",
                "failed",
                "  2  rejected BadTopic  lane parcels",
                "  seen        2026-11-21 04:05:06.789 to 2026-11-21 04:05:07.789",
                "  examples    00000000-0000-0001-0000-000000000002",
                "",
                "  next        Do.",
            ]
        )
    }

    @Test func showsSupersededGroupApartFromFailures() {
        let group = DeliveryGroup(outcome: "superseded", lane: "parcels", count: 3, first: Self.day, last: Self.day)
        let lines = text().lines(BatchStory(name: "campaign", groups: [group], sample: nil, next: ["Do."]))
        #expect(lines.contains("superseded") && !lines.contains("failed"))
        #expect(lines.contains("  3  superseded  lane parcels"))
    }

    @Test(arguments: [("accepted", "32"), ("superseded", "33"), ("unknown", "33"), ("rejected", "31")])
    func paintsOutcome(outcome: String, code: String) {
        #expect(Palette(isColoured: true).outcome(outcome, text: "x") == "\u{1b}[\(code)mx\u{1b}[0m")
    }

    @Test func whatComesFromOutsideCannotDriveTheTerminal() {
        let hostile = "\u{1b}[31mx\n"
        let story = BatchStory(
            name: hostile,
            groups: [DeliveryGroup(outcome: hostile, reason: hostile, client: hostile, count: 1, first: 0, last: 0)],
            sample: 5,
            next: [hostile]
        )
        let stories = NotificationStories(notifications: [self.story(of: hostile)], now: [hostile], next: [])
        for line in text(width: 40).lines(story) + text().lines(stories) {
            #expect(!line.contains("\u{1b}") && !line.contains("\n"))
        }
        #expect(
            text().lines(BatchStory(name: hostile, groups: [], sample: nil, next: [])).allSatisfy {
                !$0.contains("\u{1b}")
            }
        )
    }

    @Test func whatKeepsItFromBeingSentComesBeforeWhatToDo() {
        let none = NotificationStories(notifications: [], now: ["No dispatcher runs."], next: ["Look."])
        #expect(
            text().lines(none) == [
                "nothing is recorded under this apns-id", "", "  now         No dispatcher runs.", "",
                "  next        Look.",
            ]
        )
        #expect(none.json() == #"{"notifications":[],"now":["No dispatcher runs."],"next":["Look."]}"#)
    }

    @Test func theJSONOfNothingSaysWhatToDo() {
        #expect(
            NotificationStories(notifications: [], next: ["Look."]).json() == #"{"notifications":[],"next":["Look."]}"#
        )
    }

    @Test(
        arguments: [
            (["campaign"], true), (["-"], true), (["--file", "f"], true), ([], false), (["a", "--file", "f"], false),
            (["a", "--as", "batch"], true), (["a", "--as", "lane"], false),
        ] as [([String], Bool)]
    )
    func oneThingIsAskedFor(arguments: [String], isAllowed: Bool) {
        let command = try? ExplainCommand.parse(arguments)
        #expect((command != nil) == isAllowed)
    }
}
