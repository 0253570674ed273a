package import WaybillCore
import WaybillEncoding

/// What became of a batch: how its notifications ended, what is on its way, and what failed alike.
package struct BatchStory: Hashable, Sendable {
    /// An operator's order to send nothing more of it.
    package struct Cancellation: Hashable, Sendable {
        /// What was cancelled: this batch, or the one that it is a part of.
        package var batch: String
        /// Who gave it.
        package var source: String
        /// When, in milliseconds since 1970: what is published later under the same name is sent.
        package var date: Int64
        /// Whose messages it is about; `nil` for everybody's.
        package var client: String?
        /// Why, in the operator's words.
        package var note: String?

        package init(batch: String, source: String, date: Int64, client: String?, note: String?) {
            self.batch = batch
            self.source = source
            self.date = date
            self.client = client
            self.note = note
        }

        /// The order as an object.
        fileprivate var json: String {
            var object = JSONObject()
            object.add("batch_id", batch)
            object.add("by", source)
            object.add("at", TimeText.text(milliseconds: date))
            object.add("client", client)
            object.add("note", note)
            return object.text
        }
    }

    /// A message that was rejected: nothing of it is recorded, and nothing was sent.
    package struct Rejected: Hashable, Sendable {
        /// By which the rejected queue's commands know it.
        package var id: String
        /// One word.
        package var reason: String
        /// What is wrong, in words.
        package var detail: String?
        /// When it was seen first, in milliseconds since 1970; `nil` where the broker has put it there.
        package var date: Int64?
        /// How many messages of the queue have its id, it among them: producers choose ids as they like.
        package var sameID = 1
        /// How many of these are not the batch's.
        package var sameIDElsewhere = 0

        package init(id: String, reason: String, detail: String?, date: Int64?) {
            self.id = id
            self.reason = reason
            self.detail = detail
            self.date = date
        }

        fileprivate var json: String {
            var object = JSONObject()
            object.add("id", id)
            object.add("reason", reason)
            object.add("detail", detail)
            object.add("at", date.map(TimeText.text(milliseconds:)))
            return object.text
        }
    }

    package var name: String
    /// By how they ended, the largest group first.
    package var groups: [DeliveryGroup]
    /// How many records were looked at, at the most, where all of them took too long; `nil` for all of them.
    package var sample: Int?
    /// Its parts and slowest answers; `nil` where nobody asked for them.
    package var parts: BatchParts?
    /// Of how many of its notifications devices have said what; `nil` where nobody asked, or it cannot be counted.
    package var receipts: ReceiptTally?
    /// The cancellations of it that hold, the latest first.
    package var cancelled: [Cancellation] = []
    /// Its messages in the rejected queue, as far as they were looked at, the oldest first.
    package var rejected: [Rejected] = []
    /// What keeps from being sent what is not final, or not recorded, at this moment; in words.
    package var now: [String] = []
    /// Whether the store knows a campaign, a notification or an audience of this name.
    package var isPosted = false
    /// What to do, in words; never empty.
    package var next: [String]

    package init(name: String, groups: [DeliveryGroup], sample: Int?, next: [String]) {
        self.name = name
        self.groups = groups
        self.sample = sample
        self.next = next
    }

    /// How many records there are of each outcome, in the order of the schema.
    package var counts: [OutcomeCount] {
        var counts: [String: Int] = [:]
        for group in groups { counts[group.outcome, default: 0] += group.count }
        return counts.map { OutcomeCount(outcome: $0.key, count: $0.value) }.sorted { $0.rank < $1.rank }
    }

    /// How many records were looked at.
    package var total: Int { groups.reduce(0) { $0 + $1.count } }
    /// What failed for good, the largest group first.
    package var failures: [DeliveryGroup] { groups.filter(\.isFailure) }
    /// What was cancelled, by whose orders, the largest group first.
    package var stopped: [DeliveryGroup] { groups.filter(\.isCancelled) }
    /// The groups that newer notifications superseded, the largest first.
    package var superseded: [DeliveryGroup] { groups.filter(\.isSuperseded) }
    /// What waits for another attempt, the largest group first.
    package var pending: [DeliveryGroup] { groups.filter { $0.outcome == Outcome.deferred.rawValue } }
    /// The dates of the first outcome and the last one, in milliseconds since 1970; `nil` without records.
    package var period: (first: Int64, last: Int64)? {
        guard let first = groups.map(\.first).min(), let last = groups.map(\.last).max() else { return nil }
        return (first, last)
    }

    /// The story as an object.
    ///
    /// - Parameter access: what whoever reads it may ask for.
    /// - Returns: the object.
    package func json(access: AdviceRoute.Access = .all) -> String {
        var json = JSONWriter()
        json.beginObject()
        json.member("batch_id", name)
        json.member("total", total)
        json.member("sampled", sample)
        json.member("first", (period?.first).map(TimeText.text(milliseconds:)))
        json.member("last", (period?.last).map(TimeText.text(milliseconds:)))
        json.append("outcomes", counts.map { DeliveryJSON.line($0) })
        json.append("pending", pending.map(\.json))
        json.append("failures", failures.map(\.json))
        if !stopped.isEmpty { json.append("cancelled_groups", stopped.map(\.json)) }
        if !superseded.isEmpty { json.append("superseded_groups", superseded.map(\.json)) }
        if let parts {
            json.append("parts", parts.parts.map(\.json))
            json.member("part_count", parts.partCount)
            json.append("slowest", parts.slowest.map(\.json))
        }
        if let receipts { json.member("receipts", json: receipts.json.utf8) }
        if !cancelled.isEmpty { json.append("cancelled", cancelled.map(\.json)) }
        if !rejected.isEmpty { json.append("rejected", rejected.map(\.json)) }
        if !now.isEmpty { json.member("now", now) }
        json.member("next", next)
        json.appendRoutes(in: now + next, access: access)
        json.endObject()
        return String(decoding: json.bytes, as: UTF8.self)
    }
}

extension BatchParts.Part {
    fileprivate var json: String {
        var json = JSONWriter()
        json.beginObject()
        json.member("batch_id", name)
        json.member("count", count)
        json.append("outcomes", outcomes.map { DeliveryJSON.line($0) })
        json.endObject()
        return String(decoding: json.bytes, as: UTF8.self)
    }
}

extension BatchParts.SlowAnswer {
    fileprivate var json: String {
        var object = JSONObject()
        object.add("apns_id", id.description)
        object.add("batch_id", batch)
        object.add("latency_ms", latencyMilliseconds)
        return object.text
    }
}

extension DeliveryGroup {
    /// The group as an object.
    package var json: String {
        var object = JSONObject()
        object.add("outcome", outcome)
        object.add("reason", reason)
        object.add("client", client)
        object.add("lane", lane)
        object.add("provider", provider)
        object.add("topic", topic)
        object.add("count", count)
        object.add("first", TimeText.text(milliseconds: first))
        object.add("last", TimeText.text(milliseconds: last))
        object.add("due", due.map { TimeText.text(milliseconds: $0.lowerBound) })
        object.add("due_by", due.map { TimeText.text(milliseconds: $0.upperBound) })
        object.add("examples", examples.map(\.description))
        return object.text
    }
}
