import Glibc
import Testing

@testable import WaybillThreads

struct StackTests {
    @Test func aThreadHasItsStackWhateverTheDefaultIs() throws {
        try withDefaultStack(of: 1 << 20) {
            let seen = Guarded(0)
            try NamedThread.start(name: "wb-stack") {
                let size = stackOfThisThread()
                seen.withLock { $0 = size }
            }.join()
            #expect(seen.withLock { $0 } >= NamedThread.stackSize)
        }
    }
}

// These stand behind `_GNU_SOURCE` in <pthread.h>, so that Swift's Glibc does not show them.

private typealias Attributes = UnsafeMutablePointer<pthread_attr_t>
private typealias OfThread = @convention(c) (pthread_t, Attributes) -> CInt
private typealias OfDefault = @convention(c) (Attributes) -> CInt

private func function<Signature>(_ name: String, as: Signature.Type) -> Signature {
    unsafeBitCast(dlsym(nil, name)!, to: Signature.self)
}

/// Runs `body` while threads that do not ask otherwise get this many bytes, as under a smaller `ulimit -s`.
private func withDefaultStack(of bytes: Int, _ body: () throws -> Void) throws {
    let before = Attributes.allocate(capacity: 1)
    let small = Attributes.allocate(capacity: 1)
    defer {
        before.deallocate()
        small.deallocate()
    }
    try #require(function("pthread_getattr_default_np", as: OfDefault.self)(before) == 0)
    defer { pthread_attr_destroy(before) }
    pthread_attr_init(small)
    defer { pthread_attr_destroy(small) }
    pthread_attr_setstacksize(small, bytes)
    let change = function("pthread_setattr_default_np", as: OfDefault.self)
    try #require(change(small) == 0)
    defer { _ = change(before) }
    try body()
}

private func stackOfThisThread() -> Int {
    let attributes = Attributes.allocate(capacity: 1)
    defer { attributes.deallocate() }
    guard function("pthread_getattr_np", as: OfThread.self)(pthread_self(), attributes) == 0 else { return 0 }
    defer { pthread_attr_destroy(attributes) }
    var size = 0
    pthread_attr_getstacksize(attributes, &size)
    return size
}
