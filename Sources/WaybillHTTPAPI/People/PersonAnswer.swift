import HTTPTypes
import Hummingbird
import WaybillAccounts
import WaybillEncoding

/// What people's apps are told.
enum PersonAnswer {
    /// 202 with the same words, whoever asks and whatever there is.
    static func mailed() -> Response {
        var json = JSONWriter()
        json.beginObject()
        json.member("detail", "a mail with what to do next is on its way to this address")
        json.endObject()
        return Response.json(json.bytes, status: .accepted)
    }

    /// The tokens of a log-in; `withRefresh`: that one, too.
    static func tokens(_ tokens: LoginTokens, status: HTTPResponse.Status, withRefresh: Bool) -> Response {
        var json = JSONWriter()
        json.beginObject()
        json.member("session", tokens.login.id)
        json.member("account", tokens.account.id)
        json.member("token_type", "Bearer")
        json.member("access_token", tokens.access)
        json.member("expires_in", RefreshFamilies.accessLifetime)
        if withRefresh { json.member("refresh_token", tokens.refresh) }
        json.endObject()
        return Response.json(json.bytes, status: status)
    }

    /// Somebody's own account.
    static func account(_ account: Account) -> Response {
        var json = JSONWriter()
        json.beginObject()
        members(of: account, &json)
        json.endObject()
        return Response.json(json.bytes)
    }

    static func members(of account: Account, _ json: inout JSONWriter) {
        json.member("id", account.id)
        json.member("username", account.name.text)
        json.member("email", account.email.text)
        json.member("created_at", TimeText.text(milliseconds: account.createdAt))
        json.member("password_changed_at", TimeText.text(milliseconds: account.passwordChangedAt))
    }

    /// Somebody's log-ins, the latest first.
    static func logins(_ logins: [Login], current: String) -> Response {
        var json = JSONWriter(capacity: 192 * (logins.count + 1))
        json.beginObject()
        json.beginArray("sessions")
        for login in logins { element(login, current: current, &json) }
        json.endArray()
        json.endObject()
        return Response.json(json.bytes)
    }

    /// One of the thesis' API has no time of its last renewal.
    static func element(_ login: Login, current: String, _ json: inout JSONWriter) {
        json.beginObject()
        json.member("id", login.id)
        json.member("name", login.name)
        json.member("created_at", TimeText.text(milliseconds: login.createdAt))
        json.member("renewed_at", login.family.map { TimeText.text(milliseconds: $0.renewedAt) })
        if login.id == current { json.memberTrue("current") }
        json.endObject()
    }
}
