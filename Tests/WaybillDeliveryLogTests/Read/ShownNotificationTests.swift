import Testing
import WaybillCore
import WaybillMongo
import WaybillMongoTestSupport

@testable import WaybillDeliveryLog

private let now: Int64 = 1_790_000_000_000

struct ShownNotificationTests {
    private static func identity(_ milliseconds: Int64?, _ number: UInt64 = 1) -> MessageIdentity {
        MessageIdentity(
            milliseconds: milliseconds.map(UInt64.init),
            digest: MessageDigest(high: 0x1234_5678_9ABC_DEF0 ^ number, low: number << 24)
        )
    }

    private static func shown(
        _ id: NotificationID,
        messageTime: Int64?,
        firstPush: Int64?,
        token: String = "00aa11bb",
        topic: String = "com.example.app",
        collapseKey: CollapseKey = .explicit(Array("score".utf8)[...])
    ) -> ShownNotification? {
        let notification = Notification(
            deviceToken: Array(token.utf8)[...],
            message: nil,
            payload: [],
            id: id,
            collapseKey: collapseKey,
            kind: "alert",
            priority: .high,
            expiration: .immediate,
            topic: topic,
            onUnknown: .resend
        )
        return ShownNotification(notification, messageTime: messageTime, firstPush: firstPush, firstSeen: now)
    }

    struct Push: Sendable {
        var time: Int64?
        var position = 0
        var number: UInt64 = 1
        var firstPush: Int64?
    }

    /// The one that is to be pushed again, the other one, and whether that is newer.
    @Test(
        arguments: [
            // The message time, whatever was pushed first.
            (Push(time: now, firstPush: now + 900), Push(time: now + 400, number: 2, firstPush: now + 500), true),
            (Push(time: now + 400, firstPush: now), Push(time: now, number: 2, firstPush: now + 900), false),
            // In one message the position.
            (Push(time: now, position: 3, firstPush: now), Push(time: now, position: 4, firstPush: now - 9), true),
            (Push(time: now, position: 4, firstPush: now), Push(time: now, position: 3, firstPush: now + 9), false),
            (Push(position: 3, firstPush: now), Push(position: 4, firstPush: now), true),
            // On a tie, and without a time, the first push.
            (Push(time: now, firstPush: now + 5), Push(time: now, number: 2, firstPush: now + 6), true),
            (Push(time: now, firstPush: now + 6), Push(time: now, number: 2, firstPush: now + 5), false),
            (Push(time: now, firstPush: now + 5), Push(time: now, number: 2, firstPush: now + 5), false),
            (Push(firstPush: now + 5), Push(time: now, number: 2, firstPush: now + 6), true),
            (Push(time: now + 9, firstPush: now + 5), Push(number: 2, firstPush: now + 6), true),
            // One that was never pushed would be pushed last.
            (Push(time: now, firstPush: nil), Push(time: now, number: 2, firstPush: now + 6), false),
        ] as [(Push, Push, Bool)]
    )
    func newerIs(own: Push, other: Push, isNewer: Bool) throws {
        func id(_ push: Push) -> NotificationID { Self.identity(push.time, push.number).id(at: push.position) }
        let shown = try #require(Self.shown(id(own), messageTime: own.time, firstPush: own.firstPush))
        #expect(shown.isOlder(than: id(other), messageTime: other.time, firstPush: other.firstPush) == isNewer)
        #expect(!shown.isOlder(than: id(own), messageTime: own.time, firstPush: .max), "itself")
    }

    /// A derived collapse id is the notification's own, or that of one with the same text.
    @Test func aDerivedCollapseIDReplacesNothingNewer() {
        let id = Self.identity(now).id(at: 0)
        #expect(Self.shown(id, messageTime: now, firstPush: nil, collapseKey: .none) == nil)
    }

    /// Records beside a notification of message time 0 s that was pushed at 1 s.
    @Test(.enabled(if: TestDatabase.isAvailable), arguments: [false, true])
    func theLogKnowsTheNewerOne(isDigest: Bool) throws {
        let key = [UInt8](repeating: 1, count: 32)
        try TestStore.withLog(tokens: isDigest ? .digest(key: key) : .plain) { log in
            func write(
                _ number: UInt64,
                after seconds: Int64,
                _ outcome: Outcome = .accepted,
                token: String = "00aa11bb",
                topic: String = "com.example.app",
                collapseID: String = "score"
            ) throws {
                let time = now + seconds * 1000
                var record = DeliveryRecord.sample(outcome: outcome, token: token, date: time + 300)
                record.id = Self.identity(time, number).id(at: 0)
                record.topic = topic
                record.collapseKey = .explicit(Array(collapseID.utf8)[...])
                try log.write(record)
            }
            func newer(token: String = "00aa11bb") throws -> NotificationID? {
                let shown = try #require(
                    Self.shown(
                        Self.identity(now).id(at: 0),
                        messageTime: now,
                        firstPush: now + 1000,
                        token: token
                    )
                )
                // Beside many others, so that each finds its own.
                let others = try (0..<600).map { number in
                    try #require(
                        Self.shown(
                            Self.identity(now, 1_000 + UInt64(number)).id(at: 0),
                            messageTime: now,
                            firstPush: nil,
                            token: "ff\(1000 + number)"
                        )
                    )
                }
                let found = try log.reader.newerAccepted(than: others + [shown])
                #expect(found.count == 601 && found.dropLast().allSatisfy { $0 == nil })
                return try #require(found.last)
            }
            for (number, outcome) in Outcome.allCases.enumerated() where outcome != .accepted {
                try write(UInt64(100 + number), after: 2, outcome)
            }
            try write(2, after: 2, token: "00aa11cc")
            try write(3, after: 2, topic: "com.example.other")
            try write(4, after: 2, collapseID: "Score")
            try write(5, after: -2)
            #expect(try newer() == nil)
            try write(6, after: 2)
            #expect(try newer() == Self.identity(now + 2000, 6).id(at: 0))
            #expect(try newer(token: "00aa11dd") == nil)
        }
    }
}
