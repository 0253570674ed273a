/// What was published on one channel and not confirmed, by publish sequence number (RabbitMQ, "Publisher Confirms").
///
/// A pure machine. A publication leaves it in exactly one of three ways: confirmed, failed (returned as unroutable, or
/// refused by the broker), or still open when the channel ends. The broker may or may not have what is open at the end.
package struct ConfirmTracker<Element> {
    @usableFromInline
    struct Publication {
        @usableFromInline let element: Element
        @usableFromInline var wasReturned = false

        @inlinable
        init(_ element: Element) {
            self.element = element
        }
    }

    /// Publications whose fate is known, in the order of their numbers.
    package struct Settled {
        package var confirmed: [Element] = []
        package var failed: [Element] = []

        @inlinable
        package init() {}
    }

    @usableFromInline var publications: [UInt64: Publication] = [:]
    /// No publication below it is open.
    @usableFromInline var lowest: UInt64 = 1
    @usableFromInline var highest: UInt64 = 0
    @usableFromInline var lowestFailed: UInt64?

    @inlinable
    package init() {}

    /// How many are open.
    @inlinable package var count: Int { publications.count }

    /// How many from the first on are confirmed, without a gap; looks at everything that is open.
    @inlinable package var leading: Int {
        let next = publications.keys.min() ?? highest + 1
        return Int(min(next, lowestFailed ?? next) - 1)
    }

    /// Remembers a publication under the number that ``AMQPConnection/publish(exchange:routingKey:mandatory:properties:body:)``
    /// gave it.
    @inlinable
    package mutating func published(_ element: Element, as sequence: UInt64) {
        publications[sequence] = Publication(element)
        highest = max(highest, sequence)
    }

    /// The broker could not route a publication: it will still be confirmed, but nothing holds it.
    @inlinable
    package mutating func returned(_ sequence: UInt64) {
        publications[sequence]?.wasReturned = true
    }

    /// The broker has taken (or, with `isRefusal`, refused) a publication, or with `multiple` all up to it.
    ///
    /// What is not open any more, or was never published, changes nothing.
    @inlinable
    package mutating func resolve(_ sequence: UInt64, multiple: Bool, isRefusal: Bool = false) -> Settled {
        var settled = Settled()
        let first = multiple ? lowest : sequence
        let last = min(sequence, highest)
        guard first <= last else { return settled }
        for number in first...last {
            guard let publication = publications.removeValue(forKey: number) else { continue }
            if isRefusal || publication.wasReturned {
                settled.failed.append(publication.element)
                lowestFailed = min(lowestFailed ?? number, number)
            } else {
                settled.confirmed.append(publication.element)
            }
        }
        if multiple || sequence == lowest { lowest = last + 1 }
        return settled
    }

    /// The channel is gone: hands out what was open, oldest first, and starts anew.
    @inlinable
    package mutating func reset() -> [Element] {
        let open = publications.sorted { $0.key < $1.key }.map(\.value.element)
        self = ConfirmTracker()
        return open
    }
}

extension ConfirmTracker: Sendable where Element: Sendable {}
extension ConfirmTracker.Publication: Sendable where Element: Sendable {}
extension ConfirmTracker.Settled: Sendable where Element: Sendable {}
