/// How long a provider keeps a notification for a device that it cannot reach.
package enum Expiration: Hashable, Sendable {
    /// The message leaves it to the provider.
    case absent
    /// One attempt; nothing is kept.
    case immediate
    /// The provider keeps the notification and tries until this time, in seconds since 1970.
    case at(Int64)

    /// Creates the state that a number of seconds since 1970 stands for; 0 and below mean ``immediate``.
    package init(seconds: Int64) {
        self = seconds > 0 ? .at(seconds) : .immediate
    }

    /// Seconds since 1970 from which on a push would be useless; `Int64.max` for a notification without a time.
    package var end: Int64 {
        if case .at(let seconds) = self { seconds } else { .max }
    }

    /// As messages and records have it: seconds since 1970, 0 for ``immediate``; `nil` where it is absent.
    package var seconds: Int64? {
        switch self {
        case .absent: nil
        case .immediate: 0
        case .at(let seconds): seconds
        }
    }
}

/// Who set a notification's expiration: a record's `expiration_from`.
package enum ExpirationOrigin: String, CaseIterable, Sendable {
    /// The producer's message.
    case message
    /// The lane's setting `expiration`.
    case lane
    /// Neither: Waybill's default for this kind of push.
    case `default`
}
