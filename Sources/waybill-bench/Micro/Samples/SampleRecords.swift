import WaybillCore

/// The records of the samples, all accepted at the first attempt.
enum SampleRecords {
    static func all() throws -> [DeliveryRecord] {
        try Samples.batches().flatMap { batch in
            try batch.items.map { item in
                guard case .valid(let notification) = item.content else {
                    throw MicroError.unexpected("a sample is not valid")
                }
                return DeliveryRecord(
                    id: notification.id,
                    deviceToken: notification.deviceToken,
                    outcome: .accepted,
                    statusCode: 200,
                    message: notification.payload,
                    date: Samples.timestamp * 1000 + 250,
                    batchID: batch.id,
                    lane: batch.laneName,
                    topic: notification.topic,
                    kind: notification.kind,
                    collapseKey: notification.collapseKey,
                    attempts: 1,
                    latencyMilliseconds: 42.125,
                    queuedMilliseconds: 250
                )
            }
        }
    }
}
