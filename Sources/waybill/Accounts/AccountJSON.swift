import WaybillAccounts
import WaybillEncoding

/// An account for programs: all that is known of it but its password's hash.
enum AccountJSON {
    /// - Parameters:
    ///   - account: whose it is.
    ///   - isWhole: whether its address is in it, and where passwords were wrong.
    ///   - now: milliseconds since 1970.
    /// - Returns: the object.
    static func object(_ account: Account, isWhole: Bool, now: Int64) -> JSONObject {
        var object = JSONObject()
        object.add("id", account.id)
        object.add("name", account.name.text)
        if isWhole { object.add("email", account.email.text) }
        object.add("state", account.state.rawValue)
        object.add("created_at", time(account.createdAt))
        object.add("confirmed_at", time(account.confirmedAt))
        object.add("suspended_at", time(account.suspendedAt))
        object.add("password_changed_at", time(account.passwordChangedAt))
        let wrong = account.wrongPasswords(now: now)
        object.add("wrong_passwords", wrong.count)
        object.add("next_try_at", time(wrong.nextTryAt))
        if isWhole, !wrong.places.isEmpty { object.add("wrong_from", wrong.places.map(place)) }
        return object
    }

    private static func place(_ place: WrongPasswords.Place) -> JSONObject {
        var object = JSONObject()
        object.add("place", place.kind.rawValue)
        object.add("wrong_passwords", place.count)
        object.add("tried_at", time(place.triedAt))
        object.add("next_try_at", time(place.nextTryAt))
        return object
    }

    private static func time(_ milliseconds: Int64?) -> String? { milliseconds.map(TimeText.text(milliseconds:)) }
}
