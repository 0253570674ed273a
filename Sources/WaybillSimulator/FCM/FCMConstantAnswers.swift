import WaybillThreads

/// What an FCM says that takes everything as fast as possible: for measuring others.
///
/// Any form buys an access token, any message gets a name of its own. Safe on any thread.
package final class FCMConstantAnswers: Sendable {
    private static let token = SimulatorAnswer(
        status: 200,
        body: #"{"access_token":"ya29.\#(String(repeating: "c", count: 1000))","expires_in":3599,"#
            + #""token_type":"Bearer"}"#
    )

    private let messages = Guarded(0)

    package init() {}

    /// Answers a request to the token endpoint, or to `/v1/projects/{p}/messages:send`.
    package func answer(path: ArraySlice<UInt8>) -> SimulatorAnswer {
        let (prefix, suffix) = ("/v1/".utf8, ":send".utf8)
        guard path.starts(with: prefix), path.count > prefix.count + suffix.count else { return Self.token }
        let parent = String(decoding: path.dropFirst(prefix.count).dropLast(suffix.count), as: UTF8.self)
        let number = messages.withLock { messages in
            messages += 1
            return messages
        }
        return SimulatorAnswer(status: 200, body: #"{"name":"\#(parent)/0:1790000000000000%\#(number)"}"#)
    }
}
