/// Some of the records that match, and where the next ones begin.
package struct DeliveryPage: Sendable {
    /// The most records that a page may have.
    package static let mostRecords = 200
    /// The most records of a page for who wants all of them.
    package static let mostExported = 2_000
    /// The longest time that a page may take.
    package static let longestTime = Duration.seconds(5)
    /// How long somebody who waits for a page is kept waiting for more of it: with what has been begun by then, a page takes
    /// less than 300 ms.
    package static let customaryPatience = Duration.milliseconds(120)

    /// What the records of a search are ordered by, the latest first.
    package enum Order: String, Sendable {
        /// When each was written.
        case date
        /// The time of each one's message, which its id begins with; in a batch of several parts, part by part.
        case message
    }

    package var order: Order
    /// In the order of the search; fewer than asked for, or none, where the time was up.
    package var records: [LoggedDelivery]
    /// Where the next page begins; `nil` after the last record.
    package var next: DeliveryPosition?
    /// Whether the time was up before the page was full.
    package var isCutShort: Bool
}
