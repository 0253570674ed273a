/// A request that is no device push: a broadcast, or the management of channels.
///
/// A class, so that the common request carries one reference for it and nothing more.
package final class APNSExchange: Sendable {
    /// The request's method.
    package enum Method: String, Sendable {
        case get = "GET"
        case post = "POST"
        case delete = "DELETE"
    }

    package let method: Method
    /// The path, every character of it already checked or escaped.
    package let path: String
    /// Headers besides the pseudo-headers and `authorization`, with visible ASCII values; the `apns-…` headers of device
    /// pushes are not sent.
    package let headers: [(name: StaticString, value: String)]
    /// How many bytes of the answer's body are kept.
    package let maximumAnswerSize: Int

    package init(
        method: Method,
        path: String,
        headers: [(name: StaticString, value: String)],
        maximumAnswerSize: Int = 1024
    ) {
        self.method = method
        self.path = path
        self.headers = headers
        self.maximumAnswerSize = maximumAnswerSize
    }
}
