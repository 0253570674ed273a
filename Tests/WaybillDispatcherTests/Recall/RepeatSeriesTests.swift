import Testing
import WaybillAMQP
import WaybillCore
import WaybillMessages
import WaybillReceipts

@testable import WaybillDispatcher

/// When a series of repeats ends, and how long each push of it is of use.
struct RepeatSeriesTests {
    private static let time: UInt64 = 1_795_000_000

    private static func message(_ members: String) throws -> InFlightMessage {
        let body =
            #"{"batch_id":"fire","defaults":{"delivery_type":"critical","receipt":true},"notifications":[{"device_token":"aa01","message":"x""#
            + #","repeat_until_acknowledged":{"interval":600,"limit":20}\#(members)}]}"#
        return try #require(Samples.message(body, properties: AMQPProperties(timestamp: time)))
    }

    /// Seconds from the first one's time.
    @Test(
        arguments: [
            ("", nil), (#","expiration":0"#, nil), (#","expiration":null"#, nil), (#","expiration":1795000600"#, 600),
            (#","max_age":7200"#, 7200), (#","max_age":7200,"expiration":1795000600"#, 600),
        ] as [(String, Int64?)]
    )
    func defaultDoesNotEndSeries(members: String, seconds: Int64?) throws {
        let series = try #require(try Self.message(members).unacknowledged(RecallFindings()).first)
        #expect(series.begins == Int64(Self.time) * 1000)
        #expect(series.ends == seconds.map { (Int64(Self.time) + $0) * 1000 })
    }

    /// Hours after the first one: the hour of a repeat begins when it is published.
    @Test func eachRepeatHasItsOwnHour() throws {
        let first = try #require(try Self.message("").unacknowledged(RecallFindings()).first)
        let later = (Int64(Self.time) + 36_000) * 1000
        let family = FamilyMember(first: first.first, number: 5, limit: 20, begins: first.begins)
        let header = RetryHeader(attempt: 1, indexes: [0], identity: family.identity(interval: 600), family: family)
        let origin = RetryMessage.Origin(
            messageID: nil,
            timestamp: Self.time,
            firstSeen: later,
            producer: nil
        )
        let properties = RetryMessage.properties(header, origin: origin, isCopy: false)
        let body = String(decoding: first.message.body, as: UTF8.self)
        let message = try #require(Samples.message(body, properties: properties, from: Samples.retry))
        func plan(seconds: Int64) -> SendPlan {
            SendPlan(message, lanes: Samples.lanes, policy: RetryPolicy(), now: later + seconds * 1000)
        }
        #expect(plan(seconds: 3_599).outcomes.isEmpty)
        #expect(plan(seconds: 3_600).outcomes.map(\.reason) == ["expiration"])
        // Its retry counts from the same time.
        let (again, retryBody) = RetryMessage.make(message, positions: [0], pass: 2)
        let retried = try #require(
            Samples.message(String(decoding: retryBody, as: UTF8.self), properties: again, from: Samples.retry)
        )
        #expect(retried.batch.items.map(\.expiration) == message.batch.items.map(\.expiration))
        #expect(retried.batch.items.map(\.expiration) == [.at(later / 1000 + 3_600)])
    }
}

extension Batch.Item {
    fileprivate var expiration: Expiration? {
        if case .valid(let notification) = content { notification.expiration } else { nil }
    }
}
