import DeliveryLog
import Mongo
import WaybillCore

/// From an answer to the bytes of its record.
enum RecordCases {
    static let all = [encode]

    static let options = DeliveryLogOptions(database: "bench", retention: RetentionPolicy(default: .days(30)))

    private static let encode = MicroCase("bson", "encode a record with its body as BSON") { _ in
        let records = try SampleRecords.all()
        let encoder = RecordEncoder(options: options)
        let writer = BSONWriter()
        var turn = Turn(Samples.messages)
        return MicroLoop(notifications: Samples.notificationsPerMessage, warmUp: Samples.messages) {
            var encoded = 0
            for number in Samples.numbers(ofMessage: turn.next()) {
                encoder.encode(records[number], into: writer)
                if writer.count > Samples.payloadSize { encoded += 1 }
            }
            return encoded
        }
    }
}
