/// A first-in-first-out queue with a cheap front, in one growing ring.
struct RingQueue<Element> {
    private var ring: [Element?] = []
    private var head = 0
    private(set) var count = 0

    var isEmpty: Bool { count == 0 }

    var first: Element? { isEmpty ? nil : ring[head] }

    mutating func append(_ element: Element) {
        growIfFull()
        ring[(head + count) & (ring.count - 1)] = element
        count += 1
    }

    mutating func prepend(_ element: Element) {
        growIfFull()
        head = (head - 1) & (ring.count - 1)
        ring[head] = element
        count += 1
    }

    mutating func popFirst() -> Element? {
        guard !isEmpty else { return nil }
        let element = ring[head].take()
        head = (head + 1) & (ring.count - 1)
        count -= 1
        return element
    }

    /// Changes the first element in place.
    ///
    /// - Precondition: the queue is not empty.
    mutating func updateFirst<Result>(_ body: (inout Element) -> Result) -> Result {
        // The precondition makes the slot a filled one.
        body(&ring[head]!)
    }

    func forEach(_ body: (Element) -> Void) {
        for offset in 0..<count {
            if let element = ring[(head + offset) & (ring.count - 1)] { body(element) }
        }
    }

    private mutating func growIfFull() {
        guard count == ring.count else { return }
        var larger: [Element?] = []
        larger.reserveCapacity(max(16, ring.count * 2))
        while let element = popFirst() { larger.append(element) }
        count = larger.count
        head = 0
        larger.append(contentsOf: repeatElement(nil, count: max(16, ring.count * 2) - larger.count))
        ring = larger
    }
}
