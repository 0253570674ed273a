import WaybillCore
import WaybillEncoding

/// What the command line says about all messages of an input.
struct Envelope {
    /// The name of the batch: the command line's, or one made for this run.
    var batchID: String
    var client: String?
    var lane: String?

    /// The opening of a message, up to the first notification.
    ///
    /// - Parameter part: the number of the message where there are several. Notifications are identified by batch id and
    ///   position, so two messages must never share a batch id.
    /// - Returns: JSON without its end.
    func opening(part: Int?) -> [UInt8] {
        var json: [UInt8] = [UInt8(ascii: "{")]
        func add(_ name: String, _ value: String?) {
            guard let value else { return }
            JSONText.appendString(name.utf8, to: &json)
            json.append(UInt8(ascii: ":"))
            JSONText.appendString(value.utf8, to: &json)
            json.append(UInt8(ascii: ","))
        }
        add("batch_id", batchID(part: part))
        add("client", client)
        add("lane", lane)
        return json + Array("\"notifications\":[".utf8)
    }

    static let closing = Array("]}".utf8)

    /// The batch id of one of several messages: `campaign.1`, `campaign.2` and so on.
    func batchID(part: Int?) -> String {
        part.map { "\(batchID).\($0)" } ?? batchID
    }
}
