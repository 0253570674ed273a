import Foundation
import Testing
import WaybillAMQP
import WaybillMessages

extension FlowTests {
    /// `waybill rejected`, on the messages of a real queue.
    struct RejectedFlowTests {
        private struct Listed: Decodable {
            let position: Int
            let id: String
            let messageId: String?
            let reason: String
            let body: String?
        }

        private static func decoded(_ line: some StringProtocol) throws -> Listed {
            let decoder = JSONDecoder()
            decoder.keyDecodingStrategy = .convertFromSnakeCase
            return try decoder.decode(Listed.self, from: Data(line.utf8))
        }

        private static func list(_ rig: Rig, limit: Int) throws -> [Listed] {
            let result = try rig.waybill("rejected", "list", "--limit", "\(limit)", "--json")
            #expect(result.status == 0, "\(result.errors)")
            return try result.output.split(separator: "\n").map(decoded)
        }

        /// Puts messages `0000`, `0001` and so on into the rejected queue.
        private static func fill(_ rig: Rig, count: Int) throws -> [String] {
            let ids = (0..<count).map { String("000\($0)".suffix(4)) }
            for id in ids {
                var properties = AMQPProperties()
                properties.messageID = id
                try rig.publish(Array("[".utf8), properties, to: rig.queues.rejected)
            }
            return ids
        }

        /// What has come back once lies apart from what nobody has seen: a look at all of it comes first.
        @Test(arguments: [12, 150]) func aLookAtAFewShufflesNothing(count: Int) async throws {
            let rig = try await Rig()
            defer { rig.tearDown() }
            let ids = try Self.fill(rig, count: count)
            for limit in [2000, 3, 3, 7, count - 1, 3] {
                let found = try Self.list(rig, limit: limit)
                #expect(found.map(\.id) == Array(ids.prefix(limit)), "limit \(limit)")
                #expect(found.map(\.position) == Array(1...min(limit, count)))
                // The broker hears of a lost consumer a moment later.
                try await eventually("all are back") { try rig.depth(of: rig.queues.rejected) == count }
            }
            let dropped = try rig.waybill("rejected", "drop", "--id", ids[2], "--limit", "5", "--yes", "--json")
            #expect(dropped.output.contains(#""dropped":1"#), "\(dropped.errors)")
            try await eventually("the others are back") { try rig.depth(of: rig.queues.rejected) == count - 1 }
            #expect(try Self.list(rig, limit: 2000).map(\.id) == ids.filter { $0 != ids[2] })
        }

        @Test(arguments: [["drop", "--yes"], ["replay"]]) func anIDThatNoMessageHasIsNotThere(verb: [String])
            async throws
        {
            let rig = try await Rig()
            defer { rig.tearDown() }
            let ids = try Self.fill(rig, count: 2)
            let none = try rig.waybill(["rejected"] + verb + ["--id", "nope"])
            #expect(none.status == 66)
            #expect(none.errors.contains("has that id; waybill rejected shows them"), "\(none.errors)")
            try await eventually("both are there") { try rig.depth(of: rig.queues.rejected) == ids.count }
            // Of a reason nobody has said that there is one.
            #expect(try rig.waybill(["rejected"] + verb + ["--reason", "expired"]).status == 0)
            try await eventually("both are there") { try rig.depth(of: rig.queues.rejected) == ids.count }
            #expect(try rig.waybill(["rejected"] + verb + ["--id", "nope", "--id", ids[0]]).status == 0)
        }

        @Test func anIDOfSeveralMessagesNamesNoneUnlessAllAreMeant() async throws {
            let rig = try await Rig()
            defer { rig.tearDown() }
            for id in ["same", "other", "same"] {
                var properties = AMQPProperties()
                properties.messageID = id
                try rig.publish(Array("[".utf8), properties, to: rig.queues.rejected)
            }
            func remain(_ count: Int) async throws {
                try await eventually("\(count) are there") { try rig.depth(of: rig.queues.rejected) == count }
            }
            try await remain(3)
            for verb in [["drop", "--yes"], ["replay"]] {
                let refused = try rig.waybill(["rejected"] + verb + ["--id", "other", "--id", "same"])
                #expect(refused.status == 65, "\(refused.errors)")
                #expect(
                    refused.errors.contains("2 messages have the id same, and nothing was done"),
                    "\(refused.errors)"
                )
                #expect(refused.errors.contains("show 1 and 3"), "\(refused.errors)")
                try await remain(3)
            }
            let shown = try rig.waybill("rejected", "show", "same")
            #expect(shown.errors.contains("2 messages have its id, numbers 1 and 3"), "\(shown.errors)")
            try await remain(3)
            #expect(try rig.waybill("rejected", "show", "same", "--json").output.contains(#""same_id":2"#))
            try await remain(3)
            let dropped = try rig.waybill("rejected", "drop", "--id", "same", "--same-id", "--yes", "--json")
            #expect(dropped.output.contains(#""dropped":2"#), "\(dropped.errors)")
            try await remain(1)
        }

        /// While one command holds what is there, another one does not say that nothing is.
        @Test(arguments: [["replay", "--all"], ["drop", "--all", "--yes"], ["list"], ["show", "1"]])
        func whatAnotherProcessHoldsIsNotCalledNothing(words: [String]) async throws {
            let rig = try await Rig()
            defer { rig.tearDown() }
            let ids = try Self.fill(rig, count: 2)
            do {
                let other = try AMQPConnection.open(
                    try AMQPEndpoint(url: rig.services.broker, password: nil, caFile: nil, connectionName: "other")
                )
                defer { other.close() }
                try other.setPrefetch(count: 10)
                try other.startConsuming(queue: rig.queues.rejected, consumerTag: "other")
                try await eventually("it has both") { try rig.depth(of: rig.queues.rejected) == 0 }
                let second = try rig.waybill(["rejected"] + words)
                #expect(second.status == 75, "\(second.errors)")
                #expect(second.errors.contains("another process holds its messages"), "\(second.errors)")
                #expect(second.errors.contains("nothing was done") && !second.errors.contains("0 of 0"))
            }
            try await eventually("they are back") { try rig.depth(of: rig.queues.rejected) == ids.count }
            let dropped = try rig.waybill("rejected", "drop", "--all", "--yes")
            #expect(dropped.errors.contains("dropped 2 of 2"), "\(dropped.errors)")
            let none = try rig.waybill(["rejected"] + words)
            #expect(none.status == (words[0] == "show" ? 66 : 0), "\(none.errors)")
            if words[0] != "show" {
                #expect(none.errors.contains("no message of \(rig.queues.rejected) is ready"), "\(none.errors)")
            }
        }

        /// A batch that was rejected is not denied while somebody looks at the queue.
        @Test func explainDeniesNoBatchWhoseMessagesSomebodyHolds() async throws {
            let rig = try await Rig()
            defer { rig.tearDown() }
            var properties = AMQPProperties()
            properties.messageID = "m-1"
            properties.append(.reason, .string("bad_value"))
            properties.append(.batch, .string("parcels-7"))
            try rig.publish(Array("[".utf8), properties, to: rig.queues.rejected)
            do {
                let other = try AMQPConnection.open(
                    try AMQPEndpoint(url: rig.services.broker, password: nil, caFile: nil, connectionName: "other")
                )
                defer { other.close() }
                try other.setPrefetch(count: 10)
                try other.startConsuming(queue: rig.queues.rejected, consumerTag: "other")
                try await eventually("it has it") { try rig.depth(of: rig.queues.rejected) == 0 }
                for name in ["parcels-7", "019a4f2e-7c10-8a31-9a3b-5d8c4e000007"] {
                    let told = try rig.waybill("explain", name, "--json")
                    #expect(told.status == 75, "\(told.errors)")
                    #expect(told.output.contains("another process holds its messages"), "\(told.output)")
                }
            }
            try await eventually("it is back") { try rig.depth(of: rig.queues.rejected) == 1 }
            #expect(try rig.waybill("explain", "parcels-7").status == 0)
            #expect(try rig.waybill("explain", "parcels-8").status == 66)
        }

        /// Half a minute under an alarm: its cause is named, and what became of the messages.
        @Test func aReplayUnderAnAlarmSaysWhyAndWhatIsLeft() async throws {
            let services = try TestServices.startOwn()
            defer { services.stop() }
            let rig = try await Rig(services: services)
            defer { rig.tearDown() }
            let ids = try Self.fill(rig, count: 2)
            try await services.withAlarm {
                let replayed = try rig.waybill("rejected", "replay", "--all")
                #expect(replayed.status == 75, "\(replayed.errors)")
                for words in [
                    "the broker takes nothing: it has an alarm (low on disk)",
                    "replayed 0 of 2 that were meant, and 2 are still in \(rig.queues.rejected)",
                    "may have a copy of \(ids[0]) all the same",
                ] {
                    #expect(replayed.errors.contains(words), "\(replayed.errors)")
                }
                try await eventually("both are back") { try rig.depth(of: rig.queues.rejected) == 2 }
            }
        }

        /// A batch of which nothing is recorded, because its message lies in the rejected queue.
        @Test func explainSaysThatABatchWasRejected() async throws {
            let rig = try await Rig()
            defer { rig.tearDown() }
            var properties = AMQPProperties()
            properties.messageID = "m-1"
            properties.append(.reason, .string("bad_value"))
            properties.append(.batch, .string("parcels-7"))
            try rig.publish(Array("[".utf8), properties, to: rig.queues.rejected)
            let told = try rig.waybill("explain", "parcels-7")
            #expect(told.status == 0, "\(told.errors)")
            #expect(told.output.contains("it was rejected") && told.output.contains("for bad_value"), "\(told.output)")
            #expect(told.output.contains("waybill rejected show m-1"), "\(told.output)")
            let other = try rig.waybill("explain", "parcels-8")
            #expect(other.status == 66 && !other.output.contains("bad_value"), "\(other.output)")
            // A second one of the id, beside another of the reason: the command that is advised is not refused.
            try rig.publish(Array("[".utf8), properties, to: rig.queues.rejected)
            var another = AMQPProperties()
            another.messageID = "m-2"
            another.append(.reason, .string("bad_value"))
            try rig.publish(Array("[".utf8), another, to: rig.queues.rejected)
            try await eventually("all are there") { try rig.depth(of: rig.queues.rejected) == 3 }
            let advice = try rig.waybill("explain", "parcels-7").output.split(whereSeparator: \.isWhitespace)
                .joined(separator: " ")
            #expect(advice.contains("waybill rejected drop --id m-1 --same-id"), "\(advice)")
            let words = ["rejected", "drop", "--id", "m-1", "--same-id", "--yes", "--json"]
            #expect(try rig.waybill(words).output.contains(#""dropped":2"#))
        }

        /// Whoever needs the queue, and whether or not anything runs that does.
        @Test(arguments: ["rejected", "retry", "audience"])
        func explainSaysThatAQueueIsMissingAndWhatMakesIt(name: String) async throws {
            let rig = try await Rig()
            defer { rig.tearDown() }
            let queue = "\(rig.prefix).\(name)"
            try rig.broker().deleteQueue(queue)
            let told = try rig.waybill("explain", "parcels-7", "--json")
            #expect(told.output.contains("The queue \(queue) is missing."), "\(told.output)")
            #expect(told.output.contains("waybill init makes them"), "\(told.output)")
            #expect(!told.output.contains("NOT_FOUND"), "\(told.output)")
            #expect(try rig.waybill("init").status == 0)
            #expect(try !rig.waybill("explain", "parcels-7", "--json").output.contains("is missing"))
        }

        /// More than a consumer may hold: the first 2,000 keep their places, and the others theirs behind them.
        @Test func whatIsBeyondTheMostThatCanBeSeenStaysBehind() async throws {
            let rig = try await Rig()
            defer { rig.tearDown() }
            let ids = try Self.fill(rig, count: 2100)
            for limit in [2000, 3, 2000] {
                #expect(try Self.list(rig, limit: limit).map(\.id) == Array(ids.prefix(limit)), "limit \(limit)")
                try await eventually("all are back") { try rig.depth(of: rig.queues.rejected) == ids.count }
            }
            let dropped = try rig.waybill("rejected", "drop", "--id", ids[0], "--id", ids[1], "--yes")
            #expect(dropped.status == 0, "\(dropped.errors)")
            try await eventually("the others are back") { try rig.depth(of: rig.queues.rejected) == ids.count - 2 }
            #expect(try Self.list(rig, limit: 2000).map(\.id) == Array(ids[2..<2002]))
        }

        @Test func aMessageWithoutAnIDIsShownAndDroppedByItsDigestAndTokensAreShortened() async throws {
            let rig = try await Rig()
            defer { rig.tearDown() }
            let token = Sample.token("ca4a", 1)
            try rig.publish(Array(#"{"device_token":"\#(token)""#.utf8), AMQPProperties(), to: rig.queues.rejected)
            try rig.publish(Array("{".utf8), AMQPProperties(), to: rig.queues.rejected)
            let found = try Self.list(rig, limit: 10)
            #expect(found.allSatisfy { $0.id.hasPrefix("sha256:") && $0.messageId == nil })
            #expect(Set(found.map(\.id)).count == 2)
            let id = found[0].id
            for shortened in [
                ["show", id, "--json"], ["show", "1"], ["list", "--body", "--json"], ["list", "--body"],
            ] {
                let words = ["rejected"] + shortened + ["--config", rig.configurationFile.path]
                let output = try Program.run("waybill", words).output
                #expect(!output.contains(token) && output.contains(token.prefix(8)), "\(shortened)")
            }
            #expect(try rig.waybill("rejected", "show", id, "--json", "--full").output.contains(token))
            let table = try rig.waybill("rejected").output
            #expect(table.hasPrefix("#") && table.contains(id))
            #expect(try rig.waybill("rejected", "drop", "--id", id, "--yes").status == 0)
            #expect(try Self.list(rig, limit: 10).map(\.id) == [found[1].id])
        }

        /// Strict producers must say who they are, and `send` does.
        @Test func whatIsSentByTheToolPassesStrictProducers() async throws {
            let rig = try await Rig(
                settings: "producers:\n  strict: true\n  users: {guest: {clients: [keeper]}}"
            )
            defer { rig.tearDown() }
            try rig.startDispatcher()
            let line = #"{"device_token":"\#(Sample.token("aa", 1))","message":"Hello"}"#
            let sent = try rig.waybill(
                "send",
                "-",
                "--format",
                "ndjson",
                "--client",
                "keeper",
                "--batch-id",
                "strict",
                input: line
            )
            #expect(sent.status == 0, "\(sent.errors)")
            #expect(try await rig.finalRecords(batch: "strict", count: 1).first?.outcome == "accepted")
            let foreign = try rig.waybill(
                "send",
                "-",
                "--format",
                "ndjson",
                "--client",
                "brief",
                "--batch-id",
                "foreign",
                input: line
            )
            #expect(foreign.status == 0, "\(foreign.errors)")
            try await eventually("it is refused") { try rig.depth(of: rig.queues.rejected) == 1 }
            #expect(try Self.list(rig, limit: 1).first?.reason == "forbidden_client")
        }
    }
}
