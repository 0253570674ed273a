import Logging
import WaybillAMQP
import WaybillCore
import WaybillMessages

/// Whose message it is: the names that an operator asks a producer by.
struct MessageNames: Sendable {
    /// The most of a name that a log line shows, in characters: names come from outside.
    private static let longest = 100

    var client: String?
    var batchID: String?
    var messageID: String?
    var appID: String?
    /// The user that the broker has validated.
    var producer: String?

    init(_ message: InFlightMessage) {
        client = message.batch.client
        batchID = message.batch.id
        appID = message.origin.appID
        producer = message.origin.producer
    }

    init(_ body: RejectedBody) {
        client = body.origin.client
        batchID = body.origin.batchID
        messageID = body.properties.messageID
        appID = body.properties.appID
        producer = body.origin.producer
    }

    /// The names that are there.
    var fields: Logger.Metadata {
        var fields: Logger.Metadata = [:]
        for (name, value) in [
            ("client", client), ("batch", batchID), ("message_id", messageID), ("app_id", appID),
            ("producer", producer),
        ] {
            if let value { fields[name] = "\(value.prefix(Self.longest))" }
        }
        return fields
    }
}
