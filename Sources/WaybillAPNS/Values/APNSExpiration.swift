/// The three states of the `apns-expiration` header.
///
/// Source: Apple, "Sending notification requests to APNs".
public enum APNSExpiration: Hashable, Sendable {
    /// No header: APNs' own storage policy applies, up to 30 days.
    case absent
    /// `0`: one attempt, nothing is stored.
    case immediate
    /// APNs keeps the notification and tries until this time, in seconds since 1970, up to 4,294,967,295.
    ///
    /// 0 means the same as ``immediate``, as it does in the header.
    case at(Int64)

    /// Creates the state that a header value in seconds stands for; 0 and below mean ``immediate``.
    public init(seconds: Int64) {
        self = seconds > 0 ? .at(seconds) : .immediate
    }

    /// APNs keeps the notification and tries until a moment.
    public static func until(_ moment: APNSTimestamp) -> Self {
        .at(moment.secondsSince1970)
    }

    /// APNs keeps the notification and tries for a time span, counted from now.
    public static func after(_ span: Duration, from start: APNSTimestamp = .now) -> Self {
        .until(start + span)
    }

    /// Whether the time has gone by, so that a push would be useless.
    ///
    /// - Parameter now: seconds since 1970.
    /// - Returns: `false` for a notification without a time.
    public func hasPassed(at now: Int64) -> Bool {
        end <= now
    }

    /// Seconds since 1970 from which on a push would be useless; `Int64.max` for a notification without a time.
    package var end: Int64 {
        if case .at(let seconds) = self { seconds } else { .max }
    }
}
