import WaybillAccounts
import WaybillEncoding

/// An account for programs: all that is known of it but its password's hash.
enum AccountJSON {
    /// - Parameters:
    ///   - account: whose it is.
    ///   - isWhole: whether its address is in it.
    /// - Returns: the object.
    static func object(_ account: Account, isWhole: Bool) -> JSONObject {
        var object = JSONObject()
        object.add("id", account.id)
        object.add("name", account.name.text)
        if isWhole { object.add("email", account.email.text) }
        object.add("state", account.state.rawValue)
        object.add("created_at", time(account.createdAt))
        object.add("confirmed_at", time(account.confirmedAt))
        object.add("suspended_at", time(account.suspendedAt))
        object.add("password_changed_at", time(account.passwordChangedAt))
        object.add("wrong_passwords", account.failures)
        object.add("next_try_at", time(account.nextTryAt))
        return object
    }

    private static func time(_ milliseconds: Int64?) -> String? { milliseconds.map(TimeText.text(milliseconds:)) }
}
