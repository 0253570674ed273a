/// How many requests may be open on a connection.
///
/// What the server's SETTINGS say, which may change in both directions at any time; a limit below what is open only means
/// that nothing is added. Some services allow one request until the connection's first good answer.
struct StreamLimit: Hashable {
    private let ceiling: Int

    private var announced: Int?
    private var isProved: Bool

    /// - Parameters:
    ///   - startsWithOne: whether the first good answer must come before the limit counts.
    ///   - ceiling: the most, whatever the server allows.
    init(startsWithOne: Bool, ceiling: Int = TransportSettings.defaultStreamCeiling) {
        self.ceiling = ceiling
        isProved = !startsWithOne
    }

    /// How many may be open now; 0 before the server's SETTINGS.
    var limit: Int {
        guard let announced else { return 0 }
        return isProved ? announced : min(announced, 1)
    }

    /// How many may be added.
    func room(open: Int) -> Int {
        max(0, limit - open)
    }

    mutating func settings(maximumStreams: Int) {
        announced = min(max(maximumStreams, 0), ceiling)
    }

    /// The first answer came that shows the credentials to be good.
    mutating func prove() {
        isProved = true
    }
}
