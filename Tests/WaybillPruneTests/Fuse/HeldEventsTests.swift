import Logging
import Testing
import WaybillAMQP
import WaybillDeviceRegistry
import WaybillMessages
import WaybillMongo
import WaybillTelemetry

@testable import WaybillPrune

@Suite("What is measured of held events")
struct HeldEventsTests {
    @Test("a lane that is known is there from the start, and another one once its fuse has blown")
    func held() throws {
        var settings = PruneSettings(
            endpoint: try AMQPEndpoint(url: "amqp://127.0.0.1:1/", connectionName: "test"),
            queues: QueueNames(prefix: "test"),
            database: "test",
            trust: .events
        )
        settings.knownFuses = [
            FuseName(lane: "parcels", app: "com.example.parcels"), FuseName(lane: "letters", app: "demo"),
        ]
        let service = PruneService(
            settings: settings,
            pool: try MongoPool(url: "mongodb://127.0.0.1:1/", applicationName: "test"),
            logger: Logger(label: "test")
        )
        func measured(_ lane: String, _ app: String) -> Double? {
            var page = MetricsPage()
            service.measure(into: &page)
            return page.value("waybill_prune_held_events", ["lane": lane, "app": app])
        }
        #expect(measured("parcels", "com.example.parcels") == 0)
        #expect(measured("letters", "demo") == 0)
        #expect(measured("gone", "com.example.gone") == nil)
        service.control.fuses = [
            FuseView(name: FuseName(lane: "letters", app: "demo"), isBlown: true, held: 7),
            FuseView(name: FuseName(lane: "gone", app: "com.example.gone"), isBlown: false, held: 0),
        ]
        #expect(measured("parcels", "com.example.parcels") == 0)
        #expect(measured("letters", "demo") == 7)
        #expect(measured("gone", "com.example.gone") == 0)
    }
}
