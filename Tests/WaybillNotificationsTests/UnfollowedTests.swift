import Testing
import WaybillMongo

@testable import WaybillNotifications

/// Documents with states that nobody follows.
struct UnfollowedTests {
    private static func document(_ build: (BSONWriter) -> Void) -> BSONDocument {
        BSONDocument { writer in
            writer.append("_id", string: "n-1")
            build(writer)
        }
    }

    /// One that somebody has in hand, but for its message.
    private static func handingOver(_ build: (BSONWriter) -> Void) -> BSONDocument {
        document { writer in
            writer.append("state", string: "handing_over")
            writer.append("due", date: 1)
            writer.append("audience", string: "n-1")
            writer.append("begins", date: 1)
            build(writer)
        }
    }

    /// One that a service has said.
    private static func claimed(_ build: (BSONWriter) -> Void) -> BSONDocument {
        document { writer in
            writer.append("state", string: "claimed")
            writer.append("claimed_until", date: 1)
            writer.append("at", date: 1)
            build(writer)
        }
    }

    @Test(arguments: [
        document { _ in }, document { $0.appendNull("state") },
        document { $0.append("state", string: "sent") }, document { $0.append("state", string: "refused") },
        document { $0.append("state", string: "cancelled") }, document { $0.append("state", string: "failed") },
        document { writer in
            writer.append("state", string: "sending")
            writer.append("due", date: 1)
            writer.append("audience", string: "n-1")
            writer.append("begins", date: 1)
        },
        document { writer in
            writer.append("state", string: "claimed")
            writer.append("claimed_until", date: 1)
            writer.append("at", date: 1)
            writer.append("messages", array: { _ in })
        },
        handingOver { $0.append("message", string: "{}") },
    ])
    func others(document: BSONDocument) {
        #expect(NotificationLayout.flaw(document) == nil)
        #expect(PostedSummary(document).reason == nil)
    }

    @Test(arguments: [
        (document { $0.append("state", string: "posted") }, "state is posted, which is none of cancelled, claimed,"),
        (document { $0.append("state", int: 7) }, "state is no text, which is none of cancelled,"),
        (
            document { $0.append("state", string: String(repeating: "x", count: 9000)) },
            "x… (9000 characters), which is"
        ),
        (document { $0.append("state", string: "scheduled") }, "state is scheduled, and due is no date"),
        (
            document { writer in
                writer.append("state", string: "handing_over")
                writer.append("due", string: "2026-12-24")
            }, "state is handing_over, and due is no date"
        ),
        (
            document { writer in
                writer.append("state", string: "sending")
                writer.append("due", date: 1)
            }, "state is sending, and audience is no text"
        ),
        (
            document { writer in
                writer.append("state", string: "handing_over")
                writer.append("due", date: 1)
                writer.append("audience", string: "n-1")
            }, "state is handing_over, and begins is no date"
        ),
        (document { $0.append("state", string: "claimed") }, "state is claimed, and claimed_until is no date"),
        (handingOver { _ in }, "state is handing_over, and message is no text"),
        (handingOver { $0.append("message", string: "") }, "state is handing_over, and message is no text"),
        (handingOver { $0.append("message", binary: [123]) }, "state is handing_over, and message is no text"),
        (claimed { _ in }, "state is claimed, and messages is no array of texts"),
        (claimed { $0.append("messages", int: 5) }, "state is claimed, and messages is no array of texts"),
        (
            claimed { $0.append("messages", array: { $0.append(int64: 5) }) },
            "state is claimed, and messages is no array of texts"
        ),
    ])
    func unfollowed(document: BSONDocument, reason: String) throws {
        let flaw = try #require(NotificationLayout.flaw(document))
        #expect(flaw.contains(reason))
        #expect(flaw.utf8.count < 400)
        #expect(PostedSummary(document).reason == flaw)
    }

    @Test(arguments: [
        (document { $0.append("state", string: "running") }, "is running, which is none of draft, starting, started,"),
        (document { $0.append("state", bool: true) }, "is no text, and so none of draft,"),
        (document { $0.append("state", string: "draft") }, "is not whole"),
    ])
    func noCampaign(document: BSONDocument, reason: String) {
        #expect(Campaign(document) == nil)
        #expect(Campaign.flaw(document).contains(reason))
    }

    @Test func whatIsNoUTF8IsRefusedByField() {
        let document = Self.document { writer in
            writer.append("app", string: "com.example.parcels")
            writer.append("body", string: "Hello")
            writer.append("data") { $0.append("note", utf8: [0x61, 0xFF]) }
        }
        let error = #expect(throws: PostedRefusal.self) { try PostedNotification(document, client: "notifications") }
        #expect(error?.description == "data.note: is not UTF-8")
        #expect(error?.field == "data.note")
    }
}
