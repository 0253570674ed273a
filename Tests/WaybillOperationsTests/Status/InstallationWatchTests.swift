import Testing
import WaybillMessages
import WaybillMongo
import WaybillSettings

@testable import WaybillOperations

@Suite("The state for whoever asks often")
struct InstallationWatchTests {
    /// In the words of `waybill status` and `waybill check`, each time.
    @Test func whyTheStoreDoesNotAnswerIsTold() async throws {
        let broker = BrokerSettings(url: "amqp://127.0.0.1:1/", queuePrefix: "test")
        let store = StoreSettings(url: Secret("mongodb://127.0.0.1:1"), displayURL: "mongodb://127.0.0.1:1")
        let watch = try InstallationWatch(broker, store, Topology(names: broker.queues, delaySteps: []))
        for _ in 0..<2 {
            let state = await watch.state()
            guard case .failure(let error) = state.store else {
                Issue.record("there is no such store")
                return
            }
            #expect(error.plain == "nobody listens at the hosts of the URL")
        }
    }
}
