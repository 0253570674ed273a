import WaybillThreads

/// The channels of all apps: what requests and tests share.
///
/// They outlive a stop and a start of the server. Every method may be called on any thread.
package final class SimulatorChannels: Sendable {
    private struct State {
        var channels: [SimulatorChannel] = []
        /// How many of them an app has.
        var counts: [String: Int] = [:]
        var generator: SeededGenerator
    }

    private let state: Guarded<State>
    /// How many channels one app can have; Apple: 10,000 in each environment.
    private let limit: Int

    init(limit: Int, seed: UInt64) {
        self.limit = limit
        state = Guarded(State(generator: SeededGenerator(seed: seed ^ 0xC4A2_2E15)))
    }

    /// Every channel, in the order in which they were made.
    package var all: [SimulatorChannel] { state.withLock { $0.channels } }

    /// The channels of one app, in the order in which they were made.
    package func all(of bundleID: String) -> [SimulatorChannel] { all.filter { $0.bundleID == bundleID } }

    /// Makes a channel.
    ///
    /// - Parameters:
    ///   - bundleID: the app.
    ///   - storesMessages: its storage policy, which never changes.
    /// - Returns: `nil` when the app has as many as it can have.
    @discardableResult
    package func create(bundleID: String, storesMessages: Bool) -> SimulatorChannel? {
        state.withLock { state in
            guard state.counts[bundleID, default: 0] < limit else { return nil }
            let channel = SimulatorChannel(
                id: ChannelID.make(from: &state.generator),
                bundleID: bundleID,
                storesMessages: storesMessages
            )
            state.channels.append(channel)
            state.counts[bundleID, default: 0] += 1
            return channel
        }
    }

    /// The channel of an app with this id.
    package func channel(_ id: String, of bundleID: String) -> SimulatorChannel? {
        state.withLock { state in state.channels.first { $0.id == id && $0.bundleID == bundleID } }
    }

    /// Removes a channel.
    ///
    /// - Returns: `false` when there was none.
    @discardableResult
    package func remove(_ id: String, of bundleID: String) -> Bool {
        state.withLock { state in
            guard let index = state.channels.firstIndex(where: { $0.id == id && $0.bundleID == bundleID }) else {
                return false
            }
            state.channels.remove(at: index)
            state.counts[bundleID, default: 0] -= 1
            return true
        }
    }
}
