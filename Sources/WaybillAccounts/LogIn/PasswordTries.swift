/// How an account's password was tried lately, and when it is looked at again.
///
/// Each place has a pace of its own, so that nobody keeps others out by guessing. What comes from places where nobody knew the
/// password before has one more together, against those who guess from many; the owner's own places do not feel it.
///
/// Times are milliseconds since 1970.
struct PasswordTries: Hashable, Sendable {
    /// Where passwords were tried.
    struct Place: Hashable, Sendable {
        /// What stands for the neighbourhood of addresses; empty for whoever holds a token of the account.
        let name: String
        /// Wrong passwords since the last right one.
        var failures = 0
        /// When the next one from there is looked at; `nil`: at once.
        var nextTryAt: Int64?
        /// When somebody was there last who knew the password, or read the account's mail; `nil`: nobody was.
        var knownAt: Int64?
        var triedAt: Int64
    }

    /// The place of those who have logged in, and are asked for the password again.
    static let holder = ""
    /// How many places an account remembers of each kind.
    static let most = 16
    /// How long a place is known.
    static let memory: Int64 = 90 * 86_400_000
    /// How long wrong passwords count that no other follows.
    static let quiet: Int64 = 86_400_000

    /// Counts all that is written here, so that of two who write at once one sees the other.
    var number: Int64 = 0
    /// Wrong passwords in a row from places where nobody knew it before.
    var failures = 0
    /// When the next one from such a place is looked at.
    var nextTryAt: Int64?
    var places: [Place] = []

    /// Whether somebody knew the password there before.
    func knows(_ place: String, now: Int64) -> Bool {
        place == Self.holder || places.contains { $0.name == place && Self.isKnown($0, now: now) }
    }

    /// When a password from a place is looked at; `nil`: at once.
    func opensAt(_ place: String, now: Int64) -> Int64? {
        let own = places.first { $0.name == place }?.nextTryAt
        let together = knows(place, now: now) ? nil : nextTryAt
        return [own, together].compactMap(\.self).filter { $0 > now }.max()
    }

    /// Counts a wrong password, or one that has not been looked at yet.
    mutating func count(_ place: String, now: Int64) {
        if !knows(place, now: now) {
            if nextTryAt.map({ now - $0 > Self.quiet }) == true { failures = 0 }
            failures += 1
            nextTryAt = now + LoginPace.waitTogether(failures: failures)
        }
        change(place, now: now) { entry in
            if now - entry.triedAt > Self.quiet { entry.failures = 0 }
            entry.failures += 1
            entry.triedAt = now
            entry.nextTryAt = now + LoginPace.wait(failures: entry.failures)
        }
    }

    /// Forgets what was wrong before a right password.
    mutating func settle(_ place: String, now: Int64) {
        if !knows(place, now: now) { (failures, nextTryAt) = (0, nil) }
        change(place, now: now) { $0 = Place(name: place, knownAt: now, triedAt: now) }
    }

    private mutating func change(_ place: String, now: Int64, _ body: (inout Place) -> Void) {
        number += 1
        let position = places.firstIndex { $0.name == place }
        var entry = position.map { places.remove(at: $0) } ?? Place(name: place, triedAt: now)
        body(&entry)
        places.append(entry)
        // Whoever guesses from many places pushes out others of that kind alone.
        let known = places.filter { Self.isKnown($0, now: now) || $0.name == Self.holder }
        let unknown = places.filter { !known.contains($0) && now - $0.triedAt <= Self.quiet }
        places = Array(known.suffix(Self.most)) + unknown.suffix(Self.most)
    }

    private static func isKnown(_ place: Place, now: Int64) -> Bool {
        place.knownAt.map { now - $0 <= memory } ?? false
    }
}
