extension FleetHealth {
    /// A queue as the broker tells of it.
    package struct Queue: Hashable, Sendable {
        package let name: String
        package let messages: Int
        package let consumers: Int

        package init(name: String, messages: Int, consumers: Int) {
            self.name = name
            self.messages = messages
            self.consumers = consumers
        }
    }
}
