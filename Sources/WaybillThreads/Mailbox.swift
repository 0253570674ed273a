import Glibc

/// Hands arrays of values to one thread: one lock a batch, and a wake-up only when the box was empty.
///
/// Any thread may send; one thread receives.
package final class Mailbox<Element: Sendable>: Sendable {
    @usableFromInline let elements = Guarded<[Element]>([])
    @usableFromInline let wakeUp: EventDescriptor

    package init() throws(ThreadError) {
        wakeUp = try EventDescriptor()
    }

    /// Readable while something waits in the box: for `poll` or a ``Reactor``.
    package var descriptor: Int32 { wakeUp.descriptor }

    /// Puts elements into the box, in order.
    @inlinable
    package func send(_ batch: [Element]) {
        guard !batch.isEmpty else { return }
        let wasEmpty = elements.withLock { elements in
            defer { elements.append(contentsOf: batch) }
            return elements.isEmpty
        }
        if wasEmpty { wakeUp.signal() }
    }

    /// Puts one element into the box.
    @inlinable
    package func send(_ element: Element) {
        let wasEmpty = elements.withLock { elements in
            defer { elements.append(element) }
            return elements.isEmpty
        }
        if wasEmpty { wakeUp.signal() }
    }

    /// Moves everything out of the box, to the end of an array; never blocks.
    @inlinable
    package func drain(into batch: inout [Element]) {
        // Cleared first: a sender that comes in between signals again, and a needless wake-up is harmless.
        wakeUp.clear()
        elements.withLock { elements in
            if batch.isEmpty {
                swap(&batch, &elements)
            } else {
                batch.append(contentsOf: elements)
                elements.removeAll(keepingCapacity: true)
            }
        }
    }

    /// Blocks until something waits in the box or the time has come.
    ///
    /// - Parameter deadline: `nil` waits forever.
    package func wait(until deadline: MonotonicTime?) {
        var polled = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
        while true {
            let timeout = deadline.map { PollTimeout.milliseconds(from: .now(), until: $0) } ?? -1
            let ready = poll(&polled, 1, timeout)
            if ready > 0 { return }
            if let deadline, deadline <= .now() { return }
        }
    }
}
