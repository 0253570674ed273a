package import Synchronization

/// A value behind a lock.
///
/// `Mutex` does the work. Under contention its hand-over happens inside the standard library, which is not instrumented,
/// so that ThreadSanitizer reports races that are none; the atomic beside it, which costs next to nothing, shows the
/// order to the tool.
///
/// Inlinable, so that what stands behind it is compiled for its type: locks are taken for each batch.
package struct Guarded<Value: ~Copyable>: ~Copyable, Sendable {
    @usableFromInline let mutex: Mutex<Value>
    @usableFromInline let handOver = Atomic<UInt8>(0)

    /// Puts a value behind a lock.
    @inlinable
    package init(_ value: consuming sending Value) {
        mutex = Mutex(value)
    }

    /// Runs a closure with the value while nobody else can.
    @inlinable
    package borrowing func withLock<Result: ~Copyable, Failure: Error>(
        _ body: (inout sending Value) throws(Failure) -> sending Result
    ) throws(Failure) -> sending Result {
        try mutex.withLock { value throws(Failure) in
            _ = handOver.load(ordering: .acquiring)
            defer { handOver.store(0, ordering: .releasing) }
            return try body(&value)
        }
    }
}
