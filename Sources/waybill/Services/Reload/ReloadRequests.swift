import WaybillThreads

/// The reloads that one role is asked for: each has a number, and is settled when the role works with what it has read, or has
/// refused it.
final class ReloadRequests: Sendable {
    /// In the order in which they are asked for.
    let numbers: AsyncStream<Int>
    private let asked: AsyncStream<Int>.Continuation
    private let observer = Guarded<(@Sendable (Int) -> Void)?>(nil)

    init() {
        (numbers, asked) = AsyncStream.makeStream(of: Int.self)
    }

    /// Asks for a reload.
    func ask(_ number: Int) { asked.yield(number) }

    /// Nothing of the reloads up to this one is left to be done.
    func settled(_ number: Int) { observer.withLock { $0 }?(number) }

    /// Wants to hear of those that are settled; on the thread that settles them.
    func whenSettled(_ act: @escaping @Sendable (Int) -> Void) { observer.withLock { $0 = act } }
}
