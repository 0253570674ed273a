import HTTPTypes
import Hummingbird
import NIOCore
import WaybillAccounts
import WaybillEncoding

/// The thesis' answers: what a person has done wrong travels in 200.
enum NotifireAnswer {
    /// `{"success":true}`, with a payload where there is one.
    static func success(_ payload: [UInt8]? = nil) -> Response {
        var json = JSONWriter()
        json.beginObject()
        json.member("success", json: Array("true".utf8))
        if let payload { json.member("payload", json: payload) }
        json.endObject()
        return object(json.bytes)
    }

    /// `{"success":false,"error":{"code":…,"message":…}}`.
    static func failure(_ code: Int, _ message: String) -> Response {
        var json = JSONWriter()
        json.beginObject()
        json.member("success", json: Array("false".utf8))
        json.beginObject("error")
        json.member("code", code)
        json.member("message", message)
        json.endObject()
        json.endObject()
        return object(json.bytes)
    }

    /// What somebody has after logging in or confirming.
    static func loggedIn(_ tokens: LoginTokens) -> Response {
        var json = JSONWriter()
        json.beginObject()
        json.member("username", tokens.account.name.text)
        json.member("refreshToken", tokens.refresh)
        json.member("accessToken", tokens.access)
        json.endObject()
        return success(json.bytes)
    }

    /// Any JSON.
    static func object(_ json: [UInt8]) -> Response {
        Response(
            status: .ok,
            headers: [.contentType: "application/json"],
            body: ResponseBody(byteBuffer: ByteBuffer(json: json))
        )
    }
}
