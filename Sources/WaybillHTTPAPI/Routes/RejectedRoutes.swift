import HTTPTypes
import Hummingbird
import WaybillAccounts
import WaybillDeliveryLog
import WaybillEncoding
import WaybillFleet
import WaybillOperations
import WaybillThreads

/// The rejected queue: one request at a time, for each look hides its messages from the others.
struct RejectedRoutes: Sendable {
    let backend: APIBackend
    let store: StoreWorkers
    let turn: Turn

    /// How many of the oldest messages are looked at: each is held whole meanwhile.
    private static let mostMessages = 200
    private static let customary = 50
    /// What is left of a request's time for the last message and the way back.
    static let margin = Duration.seconds(4)

    var endpoints: [Endpoint] {
        [
            Endpoint(
                method: .get,
                path: "/v1/rejected",
                action: .readRejected,
                parameters: ["limit"],
                answer: list
            ),
            Endpoint(method: .get, path: "/v1/rejected/{id}", action: .readRejected, answer: show),
            Endpoint(
                method: .post,
                path: "/v1/rejected/replay",
                action: .replayRejected,
                members: ["id", "reason", "same_id"],
                flags: ["same_id"],
                answer: { try await work(.replay, "replayed", .rejectedReplay, $0) }
            ),
            Endpoint(
                method: .post,
                path: "/v1/rejected/drop",
                action: .dropRejected,
                members: ["id", "reason", "same_id"],
                flags: ["same_id"],
                answer: { try await work(.drop, "dropped", .rejectedDrop, $0) }
            ),
        ]
    }

    /// The oldest messages without their bodies: `{"total": …, "messages": […]}`.
    private func list(_ request: APIRequest) async throws -> Response {
        let limit =
            try DeliveryFilters.number("limit", request.query, in: 1...Self.mostMessages) ?? Self.customary
        let json = try await ask(request) { work in
            let (total, messages) = try work.look(limit: limit)
            var json = JSONWriter(capacity: 512 * (messages.count + 1))
            json.beginObject()
            json.member("total", total)
            json.beginArray("messages")
            for message in messages { json.element(json: message.json(withBody: false).text.utf8) }
            json.endArray()
            json.endObject()
            return json.bytes
        }
        return Response.json(json)
    }

    /// One message with its body, whose tokens are shortened; 404 if it is not among the oldest.
    private func show(_ request: APIRequest) async throws -> Response {
        let id = try request.named()
        let json = try await ask(request) { work in
            let same = try work.look(limit: Self.mostMessages).messages.filter { $0.id.isExactly(id) }
            return same.first?.jsonPage(isFull: false, sameID: same.count)
        }
        guard let json else { throw Self.missing }
        return Response.json(Array(json.utf8))
    }

    private static let missing = Problem(
        .notFound,
        "no such message is among the oldest \(mostMessages) of the rejected queue"
    )

    /// Does something to the messages of an id or a reason: `{"replayed": …, "left": …, "returned": …}`.
    ///
    /// Who asks for it is in the audit before: what was dropped is nowhere else.
    private func work(
        _ verb: RejectedWork.Verb,
        _ name: StaticString,
        _ action: AuditEntry.Action,
        _ request: APIRequest
    ) async throws -> Response {
        let (id, reason, isSameID) = try request.body.form { body, checks -> (String?, String?, Bool)? in
            let (id, reason) = (body.value("id"), body.value("reason"))
            let isSameID = body.flag("same_id")
            if let fault = reason.flatMap(RejectedSelection.fault) {
                checks.note(.field("reason", "reason: \(fault)"))
            }
            if isSameID, id == nil { checks.note(.field("same_id", "same_id goes with id")) }
            if checks.areMet, id == nil, reason == nil {
                checks.note(.members("say which messages: id, reason, or both"))
            }
            return checks.areMet ? (id, reason, isSameID) : nil
        }
        let selection = RejectedSelection(
            ids: Set(exactly: [id].compactMap(\.self)),
            reasons: Set([reason].compactMap(\.self)),
            includesSameID: isSameID
        )
        let entry = AuditEntry(action, request, subject: [id, reason].compactMap(\.self).joined(separator: " "))
        let deadline = request.context.deadline.advanced(by: .zero - Self.margin)
        try await store.note(entry, in: backend.log.database, for: request)
        let result = try await ask(request) { work in
            try work.perform(verb, selection, limit: Self.mostMessages, until: deadline)
        }
        if id != nil, result.count == 0, result.left != nil { throw Self.missing }
        var json = JSONWriter()
        json.beginObject()
        json.member(name, result.count)
        json.member("left", result.left)
        json.member("returned", result.returned)
        json.endObject()
        return Response.json(json.bytes)
    }

    private func ask<Answer: Sendable>(
        _ request: APIRequest,
        _ question: @escaping @Sendable (RejectedWork) throws -> Answer
    ) async throws -> Answer {
        let (turn, broker) = (turn, backend.broker)
        let answer = try await store.ask(for: request) { _ -> Result<Answer, any Error> in
            // The turn is over when the broker has answered, whether or not somebody still waits for that.
            guard turn.take() else {
                return .failure(Problem.unavailable("another request is at the rejected queue; try again"))
            }
            defer { turn.end() }
            do {
                return .success(try question(RejectedWork(broker)))
            } catch is RejectedQueue.HeldElsewhere {
                return .failure(Problem.unavailable("another process is at the rejected queue; try again"))
            } catch let stopped as RejectedWork.Stopped {
                return .failure(Problem.away(stopped.text))
            } catch let shared as RejectedSelection.SharedID {
                return .failure(
                    Problem(
                        .conflict,
                        "\(shared.positions.count) messages have this id, and nothing was done; same_id: true means all of them, "
                            + "and waybill rejected show shows each by its number"
                    )
                )
            } catch {
                let missing = MissingOnBroker(in: "\(error)")
                return .failure(
                    Problem.away(missing?.withRemedy ?? "the broker does not let it be done: \(error)")
                )
            }
        }
        return try answer.get()
    }
}

/// Whose turn it is.
final class Turn: Sendable {
    private let isTaken = Guarded(false)

    /// Takes it; `false` if somebody has it.
    func take() -> Bool {
        isTaken.withLock { isTaken in
            defer { isTaken = true }
            return !isTaken
        }
    }

    func end() { isTaken.withLock { $0 = false } }
}
