import WaybillEncoding
import WaybillThreads

/// A simulated FCM project: the access tokens that it has sold, its quotas, and what the phones would have got.
///
/// Shared between the server's thread and whoever asks; every method may be called on any thread.
package final class FCMService: Sendable {
    /// A message that FCM would have handed to a phone.
    package struct Delivery: Hashable, Sendable {
        package let target: String
        /// The last part of the answer's `name`.
        package let id: String
        /// The request's body.
        package let body: [UInt8]
    }

    private struct Bearer {
        let grant: FCMAssertionCheck.Grant
        let end: MonotonicTime
    }

    private struct State {
        var bearers: [String: Bearer] = [:]
        var sold = 0
        var messages = 0
        var deliveries: [Delivery] = []
        var phones: [String: FCMPhone] = [:]
        /// Registration tokens and installation ids that were given up.
        var unregistered: Set<String> = []
        var perDevice: [String: RequestRate] = [:]
        var perProject: [String: MinuteCount] = [:]
        var generator: SeededGenerator
    }

    /// The messages of the minute that runs.
    private struct MinuteCount {
        var began: MonotonicTime
        var count = 0
    }

    private let simulation: FCMSimulation
    private let assertions: FCMAssertionCheck
    private let keepsDeliveries: Bool
    private let state: Guarded<State>

    init(_ simulation: FCMSimulation, keepsDeliveries: Bool, seed: UInt64) {
        self.simulation = simulation
        assertions = FCMAssertionCheck(simulation)
        self.keepsDeliveries = keepsDeliveries
        state = Guarded(State(generator: SeededGenerator(seed: seed)))
    }

    /// How many access tokens were sold.
    package var soldTokens: Int { state.withLock { $0.sold } }

    /// What was taken for phones, in order; the same message twice stands here twice.
    package var deliveries: [Delivery] { state.withLock { $0.deliveries } }

    /// Forgets every access token: each of them is from now on one that was never sold.
    package func revokeTokens() {
        state.withLock { $0.bearers.removeAll() }
    }

    /// What an app has seen, by its registration token or installation id; nothing unless deliveries are kept.
    package func events(of device: String) -> [FCMPhone.Event] {
        state.withLock { $0.phones[device]?.events ?? [] }
    }

    /// A phone cannot be reached from here on.
    package func leave(_ device: String) {
        state.withLock { $0.phones[device, default: FCMPhone()].leave() }
    }

    /// A phone can be reached again, and gets what was kept.
    package func comeBack(_ device: String) {
        state.withLock { $0.phones[device, default: FCMPhone()].comeBack(at: .now()) }
    }

    /// An app was removed: what is sent to it from here on is refused as UNREGISTERED.
    package func unregister(_ device: String) {
        _ = state.withLock { $0.unregistered.insert(device) }
    }

    /// An app has registered, with a token that it had before, too.
    package func register(_ device: String) {
        _ = state.withLock { $0.unregistered.remove(device) }
    }

    /// Whether an app was removed.
    func isUnregistered(_ device: String) -> Bool {
        state.withLock { $0.unregistered.contains(device) }
    }

    /// Answers a request to the token endpoint.
    func sellToken(form: [UInt8], endpoint: String, seconds: Int64, at time: MonotonicTime) -> SimulatorAnswer {
        let grant: FCMAssertionCheck.Grant
        do throws(FCMAssertionCheck.Refusal) {
            grant = try assertions.judge(form: form, endpoint: endpoint, at: seconds)
        } catch {
            var json = JSONWriter(capacity: 256)
            json.beginObject()
            json.member("error", error.error)
            json.member("error_description", error.description)
            json.endObject()
            let isOfClient = error.error == "unauthorized_client"
            return SimulatorAnswer(
                status: isOfClient ? 401 : 400,
                reason: error.error,
                body: String(decoding: json.bytes, as: UTF8.self)
            )
        }
        let token = state.withLock { state in
            state.sold += 1
            // About as long as Google's, which is what fills a dynamic table.
            let token =
                "ya29.c."
                + String(decoding: (0..<27).flatMap { _ in state.generator.makeUUID() }, as: UTF8.self)
            state.bearers[token] = Bearer(
                grant: grant,
                end: time.advanced(by: .seconds(simulation.tokenLifetime))
            )
            return token
        }
        return SimulatorAnswer(
            status: 200,
            body: #"{"access_token":"\#(token)",\#(lifetimeMember)"token_type":"Bearer"}"#
        )
    }

    /// The member that says how long a token holds.
    private var lifetimeMember: String {
        switch simulation.lifetimeForm {
        case .number: #""expires_in":\#(simulation.tokenLifetime),"#
        case .text: #""expires_in":"\#(simulation.tokenLifetime)","#
        case .absent: ""
        }
    }

    /// Why a request may not send to a project; `nil` when it may.
    func refusal(of authorization: ArraySlice<UInt8>?, project: String, at time: MonotonicTime) -> FCMRefusal? {
        guard let authorization else { return .credentialsMissing }
        let words = String(decoding: authorization, as: UTF8.self).split(separator: " ")
        guard words.count == 2, words[0].lowercased() == "bearer" else { return .unauthenticated }
        guard let bearer = state.withLock({ $0.bearers[String(words[1])] }) else { return .unauthenticated }
        if bearer.end <= time { return .tokenExpired }
        if bearer.grant.scopes.isDisjoint(with: FCMAssertionCheck.sendingScopes) { return .scopeInsufficient }
        return bearer.grant.projects.contains(project) ? nil : .permissionDenied
    }

    /// Counts a message against the quotas.
    func quotaRefusal(of message: FCMMessageCheck.Message, project: String, at time: MonotonicTime) -> FCMRefusal? {
        state.withLock { state in
            if let limit = simulation.messagesPerMinute {
                var minute = state.perProject[project] ?? MinuteCount(began: time)
                if time.duration(since: minute.began) >= .seconds(60) { minute = MinuteCount(began: time) }
                minute.count += 1
                state.perProject[project] = minute
                if minute.count > limit { return .projectQuotaExceeded }
            }
            if let limit = simulation.messagesPerMinuteAndDevice, let device = message.device {
                guard state.perDevice[device, default: RequestRate(limit: limit)].lets(pass: time) else {
                    return .deviceQuotaExceeded
                }
            }
            return nil
        }
    }

    /// Takes a message.
    func accept(_ message: FCMMessageCheck.Message, body: [UInt8], project: String) -> SimulatorAnswer {
        guard !message.isValidatedOnly else {
            return SimulatorAnswer(status: 200, body: #"{"name":"projects/\#(project)/messages/fake_message_id"}"#)
        }
        let id = state.withLock { state in
            state.messages += 1
            let id = "0:\(state.messages)%\(String(decoding: state.generator.makeUUID().prefix(8), as: UTF8.self))"
            if keepsDeliveries {
                state.deliveries.append(Delivery(target: message.target, id: id, body: body))
                if let device = message.device {
                    state.phones[device, default: FCMPhone()].take(message, id: id, at: .now())
                }
            }
            return id
        }
        return SimulatorAnswer(status: 200, body: #"{"name":"projects/\#(project)/messages/\#(id)"}"#)
    }
}
