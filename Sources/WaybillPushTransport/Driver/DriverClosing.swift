import WaybillThreads

/// Closes a driver once, and tells everybody who waits for that.
///
/// The wait for the driver's thread has a thread of its own, because it blocks.
package final class DriverClosing: Sendable {
    private enum State {
        case open
        case closing([CheckedContinuation<Void, Never>])
        case closed
    }

    private let closeDriver: @Sendable (_ grace: Duration) -> Void
    private let joinDriver: @Sendable () -> Void
    private let state = Guarded(State.open)

    /// Prepares the end of a driver.
    ///
    /// - Parameters:
    ///   - close: has the driver end; may be called several times.
    ///   - join: waits for its thread; called once.
    package init(close: @escaping @Sendable (_ grace: Duration) -> Void, join: @escaping @Sendable () -> Void) {
        closeDriver = close
        joinDriver = join
    }

    /// Closes the driver and waits until its last outcome has been handed out.
    ///
    /// Again while it is closing: the shorter grace counts.
    package func close(grace: Duration) async {
        closeDriver(max(grace, .zero))
        await withCheckedContinuation { continuation in
            let isFirst = state.withLock { state -> Bool? in
                switch state {
                case .open:
                    state = .closing([continuation])
                    return true
                case .closing(let others):
                    state = .closing(others + [continuation])
                    return false
                case .closed:
                    return nil
                }
            }
            switch isFirst {
            case true?: join()
            case false?: break
            case nil: continuation.resume()
            }
        }
    }

    private func join() {
        do {
            _ = try NamedThread.start(name: "wb-push-close") { self.joinAndTell() }
        } catch {
            // No thread is to be had: this one waits, and the grace bounds that.
            joinAndTell()
        }
    }

    private func joinAndTell() {
        joinDriver()
        let waiting = state.withLock { state -> [CheckedContinuation<Void, Never>] in
            defer { state = .closed }
            if case .closing(let waiting) = state { return waiting }
            return []
        }
        for continuation in waiting { continuation.resume() }
    }
}
