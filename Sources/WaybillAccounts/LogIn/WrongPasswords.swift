/// How often an account's password was wrong lately, and where the next one waits: for whoever asks why somebody cannot log in.
///
/// Times are milliseconds since 1970.
package struct WrongPasswords: Hashable, Sendable {
    /// Where passwords were wrong.
    ///
    /// Addresses are not kept, so that it is told by what the account knows of it.
    package struct Place: Hashable, Sendable {
        package enum Kind: String, Sendable {
            /// Somebody knew the password there in the last 90 days.
            case known
            /// Nobody did.
            case new
            /// Whoever is logged in, and was asked for the password again.
            case session
        }

        package let kind: Kind
        /// In a row.
        package let count: Int
        package let triedAt: Int64
        /// When the next one from there is looked at; `nil`: at once, as far as this place goes.
        package let nextTryAt: Int64?
    }

    /// In a row, wherever they came from; what was wrong more than a day before the next one counts no more.
    package let count: Int
    /// When the next one from a place where nobody knew it before is looked at; `nil`: at once, as far as all of these go.
    package let nextTryAt: Int64?
    /// The latest first.
    package let places: [Place]
}

extension Account {
    /// What of its password's tries still counts.
    ///
    /// - Parameter now: milliseconds since 1970.
    /// - Returns: how many, where from, and how long the next ones wait.
    package func wrongPasswords(now: Int64) -> WrongPasswords { tries.wrong(now: now) }
}

extension PasswordTries {
    func wrong(now: Int64) -> WrongPasswords {
        let places = places.filter { $0.failures > 0 && now - $0.triedAt <= Self.quiet }
            .map { place in
                WrongPasswords.Place(
                    kind: place.name == Self.holder ? .session : knows(place.name, now: now) ? .known : .new,
                    count: place.failures,
                    triedAt: place.triedAt,
                    nextTryAt: place.nextTryAt.flatMap { $0 > now ? $0 : nil }
                )
            }
            .sorted { $0.triedAt > $1.triedAt }
        let isOver = nextTryAt.map { now - $0 > Self.quiet } ?? true
        // Of many new places the account has forgotten some, but not how many wrong passwords came from all of them.
        let fromNew = places.reduce(0) { $0 + ($1.kind == .new ? $1.count : 0) }
        let others = places.reduce(0) { $0 + ($1.kind == .new ? 0 : $1.count) }
        return WrongPasswords(
            count: others + max(fromNew, isOver ? 0 : failures),
            nextTryAt: nextTryAt.flatMap { $0 > now ? $0 : nil },
            places: places
        )
    }
}
