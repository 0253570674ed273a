/// What a command says that waits because the broker has an alarm.
enum BrokerAlarmText {
    /// That it waits.
    ///
    /// - Parameter reason: the broker's words, such as `low on memory`.
    /// - Returns: a sentence without its end.
    static func waiting(_ reason: String) -> String {
        "the broker takes nothing: it has an alarm (\(Cell.printable(reason))); waiting; see rabbitmqctl status"
    }

    /// That it goes on.
    static let over = "the broker takes messages again"
}
