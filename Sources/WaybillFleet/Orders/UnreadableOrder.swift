/// An order that is not followed, because something of it is not understood.
package struct UnreadableOrder: Hashable, Sendable {
    /// Its `_id`, which says what it is about.
    package let name: String
    /// Which field, and what is wrong with it.
    package let reason: String

    package init(name: String, reason: String) {
        self.name = name
        self.reason = reason
    }

    /// What to do about it.
    package static let advice =
        "Nobody follows it. Give the order anew (waybill cancel, waybill lanes), and remove the document from the collection orders; see who "
        + "else may write there. An order of a newer release may look like this, too: start all processes in one release."
}

extension StandingOrders {
    /// What an operator should know of orders that nobody follows; `nil` while there is none.
    package var unreadableTrouble: String? {
        guard let first = unreadable.first else { return nil }
        let others = unreadable.count > 1 ? " (and \(unreadable.count - 1) more)" : ""
        return "an order is not followed, for it cannot be read: \(first.name), \(first.reason)\(others)"
    }
}
