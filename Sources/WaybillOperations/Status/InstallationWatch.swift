import WaybillAMQP
package import WaybillMessages
import WaybillMongo
package import WaybillSettings

/// The state of an installation for whoever asks often, told within seconds whatever hangs.
///
/// Broker and store are asked at the same time, each on a thread of its own (``SharedQuestion``): what has not answered by then is
/// told of as what does not answer.
package final class InstallationWatch: Sendable {
    private let broker: SharedQuestion<Result<InstallationState.Broker, AMQPError>>
    private let store: SharedQuestion<InstallationState.StoreAnswer>

    /// How long broker and store may take together, for somebody who waits.
    private static let patience = Duration.seconds(3)
    private static let freshness = Duration.seconds(2)
    /// Shorter than ``patience``: that no server is there, and why, is told by who has looked for one.
    private static let search = Duration.seconds(2)

    /// - Parameters:
    ///   - broker: asked over a connection of its own.
    ///   - store: asked over a connection of its own.
    ///   - topology: the queues as they should be.
    /// - Throws: what cannot be used of the store's settings.
    package convenience init(_ broker: BrokerSettings, _ store: StoreSettings, _ topology: Topology) throws {
        let (pool, database) = (try store.pool(for: "serve state", search: Self.search), store.database)
        self.init(patience: Self.patience) {
            InstallationState.answer(of: broker, topology)
        } store: {
            do throws(MongoError) {
                return try pool.withClient { InstallationState.StoreAnswer($0, database: database) }
            } catch {
                return InstallationState.StoreAnswer(store: .failure(error))
            }
        }
    }

    /// As above, with what broker and store answer.
    init(
        patience: Duration,
        broker: @escaping @Sendable () -> Result<InstallationState.Broker, AMQPError>,
        store: @escaping @Sendable () -> InstallationState.StoreAnswer
    ) {
        self.broker = SharedQuestion(
            name: "wb-state-broker",
            patience: patience,
            freshness: Self.freshness,
            broker
        )
        self.store = SharedQuestion(name: "wb-state-store", patience: patience, freshness: Self.freshness, store)
    }

    /// The state as it is now, or was two seconds ago.
    package func state() async -> InstallationState {
        async let broker = broker.reply()
        async let store = store.reply()
        let brokerAnswer =
            switch await broker {
            case .answer(let answer): answer
            case .silence(let time): InstallationState.silence(ofBroker: Self.words(time))
            }
        let storeAnswer =
            switch await store {
            case .answer(let answer): answer
            case .silence(let time): InstallationState.StoreAnswer(silence: Self.words(time))
            }
        return InstallationState(broker: brokerAnswer, storeAnswer)
    }

    /// Somebody has decided here about something that the store keeps: who looks next sees it.
    package func storeHasChanged() { store.hasChanged() }

    private static func words(_ time: Duration) -> String { "no answer for \(time.components.seconds) s" }
}
