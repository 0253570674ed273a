import WaybillCore
import WaybillEncoding
package import WaybillFleet

/// Cancellations for programs.
package enum CancellationJSON {
    /// `{"cancellations": […]}`, in the order given.
    package static func list(_ cancellations: [Cancellation]) -> [UInt8] {
        var json = JSONWriter(capacity: 256 * (cancellations.count + 1))
        json.beginObject()
        json.beginArray("cancellations")
        for cancellation in cancellations { append(cancellation, to: &json) }
        json.endArray()
        json.endObject()
        return json.bytes
    }

    private static func append(_ cancellation: Cancellation, to json: inout JSONWriter) {
        json.beginObject()
        json.member("batch_id", cancellation.batch.name)
        json.member("client", cancellation.client)
        json.member("by", lineSafe: cancellation.source.name)
        json.member("at", TimeText.text(milliseconds: cancellation.source.date))
        json.member("note", cancellation.source.note)
        json.endObject()
    }
}
