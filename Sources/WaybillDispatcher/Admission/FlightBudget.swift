/// Bounds what is in flight, in notifications and in bytes: the one number behind all backpressure.
struct FlightBudget {
    let maximumItems: Int
    let maximumBytes: Int
    private(set) var items = 0
    private(set) var bytes = 0
    private(set) var messages = 0

    init(maximumItems: Int, maximumBytes: Int) {
        self.maximumItems = maximumItems
        self.maximumBytes = maximumBytes
    }

    /// Whether another message may start.
    ///
    /// One that alone is over the limit still starts when nothing else is in flight.
    var hasRoom: Bool {
        messages == 0 || (items < maximumItems && bytes < maximumBytes)
    }

    mutating func enter(_ finalizer: Finalizer) {
        items += finalizer.itemCount
        bytes += finalizer.byteCount
        messages += 1
    }

    mutating func leave(_ finalizer: Finalizer) {
        items -= finalizer.itemCount
        bytes -= finalizer.byteCount
        messages -= 1
    }
}
