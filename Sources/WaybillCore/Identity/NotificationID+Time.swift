extension NotificationID {
    /// How far a message's own time and its outcome may lie apart, in milliseconds: a notification may wait for a year.
    private static let longestLife: Int64 = 400 * 86_400_000
    private static let ahead: Int64 = 86_400_000

    /// The message's own time in milliseconds since 1970, which a derived id has in front.
    ///
    /// An id of a message without a time has bits of its hash there; read as a time, they are hardly ever within a year of a date.
    ///
    /// - Parameter date: when its outcome was known, or this moment; in milliseconds since 1970, any number.
    /// - Returns: `nil` for an id of another form, and for a time that cannot be its own.
    package func messageTime(by date: Int64) -> Int64? {
        guard high & 0xF000 == 0x8000 else { return nil }
        let time = Int64(high >> 16)
        let (age, isTooLarge) = date.subtractingReportingOverflow(time)
        return !isTooLarge && (-Self.ahead...Self.longestLife).contains(age) ? time : nil
    }
}
