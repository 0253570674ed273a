/// When an audience's message was published, as orders are held against it: pure.
///
/// Times are milliseconds since 1970.
package struct AudienceTime: Hashable, Sendable {
    /// What an order has to reach.
    package let milliseconds: Int64
    /// Whether the producer gave it that time; that of another message is when fan-out took it.
    package let isOwn: Bool

    /// - Parameters:
    ///   - published: the message's own time; `nil` where it has none.
    ///   - entered: when fan-out took it.
    package init(published: Int64?, entered: Int64) {
        // Nobody takes a message before it is published, whatever its producer's clock says.
        milliseconds = min(published ?? entered, entered)
        isOwn = published != nil
    }

    /// The time of a page's messages, by which dispatchers hold orders against them.
    ///
    /// It is not before the audience was published: what was ordered by then is about another one of its name.
    ///
    /// - Parameter ordersRead: when fan-out has read the orders. Whoever gives one from then on means the page, too.
    /// - Returns: whole seconds since 1970.
    package func page(ordersRead: Int64) -> Int64 {
        (isOwn ? max(ordersRead, milliseconds) : ordersRead) / 1000
    }
}
