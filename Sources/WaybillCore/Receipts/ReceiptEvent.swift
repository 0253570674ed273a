/// What a device says of a notification.
///
/// The raw value is a part of the key of stored receipts.
package enum ReceiptEvent: UInt8, CaseIterable, Sendable {
    /// The app's code has run: the push has arrived.
    case received = 1
    /// It was put on the screen.
    case displayed
    /// Somebody has opened it.
    case opened
    /// Somebody has pressed the button that says so: what ends its repeats.
    case acknowledged
    /// Somebody has swiped it away.
    case dismissed

    /// The word for it in requests, records and answers.
    package var name: StaticString {
        switch self {
        case .received: "received"
        case .displayed: "displayed"
        case .opened: "opened"
        case .acknowledged: "acknowledged"
        case .dismissed: "dismissed"
        }
    }

    package init?(name: some StringProtocol) {
        guard let event = Self.allCases.first(where: { "\($0.name)" == name }) else { return nil }
        self = event
    }
}
