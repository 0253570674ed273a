import WaybillMessages

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
        var json: [UInt8] = []
        DispatchMessage.appendNames(batchID: batchID(part: part), client: client, lane: lane, to: &json)
        DispatchMessage.appendOpening(of: .notifications, to: &json)
        return json
    }

    /// The end of a message, behind the last notification.
    static let closing: [UInt8] = {
        var json: [UInt8] = []
        DispatchMessage.appendClosing(to: &json)
        return json
    }()

    /// The batch id of one of several messages: `campaign.1`, `campaign.2` and so on.
    func batchID(part: Int?) -> String {
        part.map { "\(batchID).\($0)" } ?? batchID
    }
}
