import ArgumentParser
import WaybillThreads

/// How many notifications to publish a second.
struct SendRate: ExpressibleByArgument, Equatable {
    let perSecond: Int

    /// Reads `500` or `500/s`.
    init?(argument: String) {
        let number = argument.hasSuffix("/s") ? argument.dropLast(2) : argument[...]
        guard number.allSatisfy(\.isNumber), let rate = Int(number), (1...10_000_000).contains(rate) else { return nil }
        perSecond = rate
    }

    /// When a message may be published, as many notifications after the start as were published before it.
    func due(after published: Int, since start: MonotonicTime) -> MonotonicTime {
        start.advanced(by: .nanoseconds(Int64(Double(published) / Double(perSecond) * 1e9)))
    }
}
