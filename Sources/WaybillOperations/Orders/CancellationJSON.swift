import WaybillCore
package import WaybillDeliveryLog
import WaybillEncoding
package import WaybillFleet

/// Cancellations for programs.
package enum CancellationJSON {
    /// `{"cancellations": […], "lifted": […]}`: those that hold and those that were taken back, in the order given.
    package static func list(_ cancellations: [Cancellation], lifted: [LiftedCancellation]) -> [UInt8] {
        var json = JSONWriter(capacity: 256 * (cancellations.count + lifted.count + 1))
        json.beginObject()
        json.beginArray("cancellations")
        for cancellation in cancellations { append(cancellation, to: &json) }
        json.endArray()
        json.beginArray("lifted")
        for each in lifted {
            json.beginObject()
            appendMembers(each.cancellation, to: &json)
            json.beginObject("lifted")
            append(each.source, to: &json)
            json.endObject()
            json.endObject()
        }
        json.endArray()
        json.endObject()
        return json.bytes
    }

    /// What was lifted, by whom and when, and what still holds.
    ///
    /// - Parameters:
    ///   - lift: what became of the order.
    ///   - scope: of whoever reads it: of a cancellation that is not there for them it has batch and time alone.
    /// - Returns: the object.
    package static func lift(_ lift: CancellationLift, seenBy scope: DeliveryScope) -> [UInt8] {
        var json = JSONWriter(capacity: 256 * (lift.lifted.count + lift.stillCancelled.count + 1))
        json.beginObject()
        json.member("batch_id", lift.batch)
        json.beginArray("lifted")
        for cancellation in lift.lifted { append(cancellation, to: &json) }
        json.endArray()
        json.beginArray("still_cancelled")
        for cancellation in lift.stillCancelled {
            guard !scope.includes(client: cancellation.client) else {
                append(cancellation, to: &json)
                continue
            }
            json.beginObject()
            json.member("batch_id", cancellation.batch.name)
            json.member("at", TimeText.text(milliseconds: cancellation.source.date))
            json.endObject()
        }
        json.endArray()
        append(lift.source, to: &json)
        if let hasEnded = lift.hasEnded { json.member("ended", json: (hasEnded ? "true" : "false").utf8) }
        json.endObject()
        return json.bytes
    }

    private static func append(_ cancellation: Cancellation, to json: inout JSONWriter) {
        json.beginObject()
        appendMembers(cancellation, to: &json)
        json.endObject()
    }

    private static func appendMembers(_ cancellation: Cancellation, to json: inout JSONWriter) {
        json.member("batch_id", cancellation.batch.name)
        json.member("client", cancellation.client)
        append(cancellation.source, to: &json)
        if cancellation.lead > 0 {
            json.member("covers_until", TimeText.text(milliseconds: cancellation.coversUntil))
        }
    }

    private static func append(_ source: OrderSource, to json: inout JSONWriter) {
        json.member("by", lineSafe: source.name)
        json.member("at", TimeText.text(milliseconds: source.date))
        json.member("note", source.note)
    }
}
