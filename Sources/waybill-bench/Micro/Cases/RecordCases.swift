import WaybillCore
import WaybillDeliveryLog
import WaybillMongo

/// From a record to the bytes of a bulk.
enum RecordCases {
    static let all = [encode, bulk]

    static let options = DeliveryLogOptions(
        database: "waybill_bench_micro",
        retention: RetentionPolicy(default: .days(30))
    )

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

    private static let bulk = MicroCase("bulk", "append 1,000 documents to a bulk that is never sent") { _ in
        let encoder = RecordEncoder(options: options)
        let documents = try SampleRecords.all().prefix(1000).map { record in
            let writer = BSONWriter()
            encoder.encode(record, into: writer)
            return writer
        }
        // Nothing listens there; the driver's own thread looks once and then sleeps.
        let url = "mongodb://127.0.0.1:1/?heartbeatFrequencyMS=2147483647"
        let pool = try MongoPool(url: url, applicationName: "waybill-bench")
        let collection = try pool.pop().collection(database: options.database, name: "none")
        return MicroLoop(notifications: documents.count, warmUp: 2) {
            let bulk = collection.bulk()
            for document in documents { try bulk.insert(document) }
            return bulk.count
        }
    }
}
