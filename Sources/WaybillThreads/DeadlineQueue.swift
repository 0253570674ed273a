/// Deadlines of things with an identity, nearest first.
///
/// A binary heap. Moving or cancelling a deadline leaves the old entry in the heap; it is passed over when it surfaces.
package struct DeadlineQueue<ID: Hashable & Sendable>: Sendable {
    private struct Entry {
        let time: MonotonicTime
        let generation: UInt64
        let id: ID
    }

    private var heap: [Entry] = []
    private var current: [ID: UInt64] = [:]
    private var generation: UInt64 = 0

    package init() {}

    /// The number of deadlines.
    package var count: Int { current.count }

    /// Sets or moves the deadline of a thing.
    package mutating func schedule(_ id: ID, at time: MonotonicTime) {
        generation += 1
        current[id] = generation
        heap.append(Entry(time: time, generation: generation, id: id))
        siftUp(from: heap.count - 1)
        if heap.count > 64, heap.count > 4 * current.count { compact() }
    }

    /// Removes the deadline of a thing.
    package mutating func cancel(_ id: ID) {
        current[id] = nil
    }

    /// The nearest deadline.
    package var next: MonotonicTime? {
        mutating get {
            dropStale()
            return heap.first?.time
        }
    }

    /// Takes a thing whose deadline has come; call again until `nil`.
    package mutating func popDue(by now: MonotonicTime) -> ID? {
        dropStale()
        guard let first = heap.first, first.time <= now else { return nil }
        removeFirst()
        current[first.id] = nil
        return first.id
    }

    private mutating func dropStale() {
        while let first = heap.first, current[first.id] != first.generation { removeFirst() }
    }

    private mutating func compact() {
        let live = heap.filter { current[$0.id] == $0.generation }
        heap.removeAll(keepingCapacity: true)
        for entry in live {
            heap.append(entry)
            siftUp(from: heap.count - 1)
        }
    }

    private mutating func removeFirst() {
        let last = heap.removeLast()
        guard !heap.isEmpty else { return }
        heap[0] = last
        siftDown()
    }

    private mutating func siftUp(from start: Int) {
        var child = start
        while child > 0 {
            let parent = (child - 1) / 2
            guard heap[child].time < heap[parent].time else { return }
            heap.swapAt(child, parent)
            child = parent
        }
    }

    private mutating func siftDown() {
        var parent = 0
        while true {
            var least = parent
            for child in [2 * parent + 1, 2 * parent + 2]
            where child < heap.count && heap[child].time < heap[least].time {
                least = child
            }
            guard least != parent else { return }
            heap.swapAt(parent, least)
            parent = least
        }
    }
}
