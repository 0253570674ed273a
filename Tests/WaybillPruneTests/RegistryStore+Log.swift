import Testing
import WaybillCore
import WaybillDeliveryLog
import WaybillDeviceRegistryTestSupport
import WaybillMongo

extension RegistryStore {
    /// Writes records as a dispatcher does.
    func write(_ records: [DeliveryRecord], options: DeliveryLogOptions) throws {
        let result = try pool.withClient { (client) throws(MongoError) in
            try DeliveryLogWriter(client: client, options: options).write(records.map { LogEntry(record: $0) })
        }
        #expect(result.written == records.count)
    }
}
