/// How many requests may be open on a connection.
///
/// With token authentication APNs allows one until the connection's first request with a good token is answered, then
/// what SETTINGS says (Apple, "Sending notification requests to APNs"). The server may change its mind in both
/// directions at any time; a limit below what is open only means that nothing is added.
struct StreamLimit: Hashable {
    /// More than any server has been seen to allow; bounds a server that names no limit at all.
    static let ceiling = 10_000

    private var announced: Int?
    private var isProved: Bool

    /// - Parameter startsWithOne: whether the first good answer must come before the limit counts.
    init(startsWithOne: Bool) {
        isProved = !startsWithOne
    }

    /// How many may be open now; 0 before the server's SETTINGS.
    var limit: Int {
        guard let announced else { return 0 }
        return isProved ? announced : min(announced, 1)
    }

    /// What SETTINGS says, whatever the credentials still have to prove.
    var announcedLimit: Int { announced ?? 0 }

    /// How many may be added.
    func room(open: Int) -> Int {
        max(0, limit - open)
    }

    mutating func settings(maximumStreams: Int) {
        announced = min(max(maximumStreams, 0), Self.ceiling)
    }

    /// The first answer came that shows the credentials to be good.
    mutating func prove() {
        isProved = true
    }
}
