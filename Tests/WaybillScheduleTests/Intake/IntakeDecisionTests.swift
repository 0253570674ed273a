import Testing
import WaybillCore
import WaybillMessages
import WaybillMongo
import WaybillProviders

@testable import WaybillNotifications
@testable import WaybillSchedule

/// What is done about a document that nobody has looked at, from a table.
@Suite struct IntakeDecisionTests {
    private static let now: Int64 = 1_795_000_000_000
    private static let rules = PostedRules(client: "paper", examination: nil)
    private static let voice = ServiceVoice(
        service: "s-1",
        name: "Door",
        accounts: ["acc_1"],
        route: NotificationRoute(client: "notifire", app: "com.example.app", environment: .production, lane: "people"),
        time: now
    )
    private static let later = now + 3_600_000
    private static let noSuchService = PostedRefusal(BodyRejection(.badValue, "service: is none"))

    /// What is known of a document's service.
    enum Service: Sendable {
        case none
        case found
        case refused
        /// It may say nothing now.
        case silent
        case failed(MongoError.Code)
    }

    struct Case: CustomTestStringConvertible, Sendable {
        let what: String
        var app: String? = "com.example.parcels"
        var fields: @Sendable (BSONWriter) -> Void = { _ in }
        var service = Service.none
        /// What is done, in a word, and what is said.
        let decision: String

        var testDescription: String { what }
    }

    static let cases: [Case] = [
        Case(what: "a whole one", decision: "claim n-1 of paper"),
        Case(what: "one with a mistake", fields: { $0.append("titel", string: "x") }, decision: "refuse: titel"),
        Case(what: "cancelled", fields: { $0.append("cancel", bool: true) }, decision: "cancel"),
        Case(
            what: "cancelled, with a mistake",
            fields: { writer in
                writer.append("titel", string: "x")
                writer.append("cancel", bool: true)
            },
            decision: "cancel"
        ),
        Case(
            what: "cancelled by an order",
            fields: { writer in
                writer.append("cancelled_by", array: { $0.append { $0.append("by", string: "anna@host") } })
            },
            decision: "cancel"
        ),
        Case(
            what: "of which all orders were lifted",
            fields: { $0.append("cancelled_by", array: { _ in }) },
            decision: "claim n-1 of paper"
        ),
        Case(
            what: "with something else in the field of orders",
            fields: { $0.append("cancelled_by", string: "anna@host") },
            decision: "refuse: cancelled_by"
        ),
        Case(what: "sent by another system", fields: { $0.append("sent", int: 1) }, decision: "mark sent"),
        Case(
            what: "sent by another system, and cancelled",
            fields: { writer in
                writer.append("sent", bool: true)
                writer.append("cancel", bool: true)
            },
            decision: "mark sent"
        ),
        Case(
            what: "the copy of one that was sent",
            fields: { writer in
                writer.append("sent", bool: true)
                writer.append("audience", string: "n-0")
                writer.append("devices", int: 300)
            },
            decision: "refuse: audience, devices: written by Waybill alone, so this is a copy"
        ),
        Case(
            what: "the copy of one that was sent, and cancelled too late",
            fields: { writer in
                writer.append("sent", bool: true)
                writer.append("cancel", bool: true)
                writer.append("outcomes") { $0.append("accepted", int: 300) }
            },
            decision: "refuse: outcomes"
        ),
        Case(
            what: "the copy of one that has failed",
            fields: { writer in
                writer.append("sent", bool: false)
                writer.append("audience", string: "n-0")
            },
            decision: "refuse: audience"
        ),
        Case(
            what: "sent by another system, in words of its own",
            fields: { writer in
                writer.append("sent", bool: true)
                writer.append("sent_at", date: now)
                writer.append("devices", int: 300)
                writer.append("message", string: "x")
            },
            decision: "mark sent"
        ),
        Case(
            what: "of a service",
            app: nil,
            fields: { $0.append("service", string: "s-1") },
            service: .found,
            decision: "claim n-1 of notifire"
        ),
        Case(
            what: "of an app, for later",
            fields: { $0.append("at", date: later) },
            decision: "claim n-1 of paper"
        ),
        Case(
            what: "of a service, for later",
            app: nil,
            fields: { writer in
                writer.append("service", string: "s-1")
                writer.append("at", date: later)
            },
            service: .found,
            decision: "wait for 3600 s"
        ),
        Case(
            what: "of a service, for later, with a mistake",
            app: nil,
            fields: { writer in
                writer.append("service", string: "s-1")
                writer.append("at", date: later)
                writer.append("titel", string: "x")
            },
            service: .found,
            decision: "refuse: titel"
        ),
        Case(
            what: "of a service that may say nothing now, for later",
            app: nil,
            fields: { writer in
                writer.append("service", string: "s-1")
                writer.append("at", date: later)
            },
            service: .silent,
            decision: "wait for 3600 s"
        ),
        Case(
            what: "of a service that may say nothing now, for now",
            app: nil,
            fields: { $0.append("service", string: "s-1") },
            service: .silent,
            decision: "refuse: service"
        ),
        Case(
            what: "of no service, for later",
            app: nil,
            fields: { writer in
                writer.append("service", string: "s-1")
                writer.append("at", date: later)
            },
            service: .refused,
            decision: "refuse: service"
        ),
        Case(
            what: "of a service, when its time has come",
            app: nil,
            fields: { writer in
                writer.append("service", string: "s-1")
                writer.append("at", date: now)
                writer.append("state", string: "scheduled")
                writer.append("sent", bool: false)
                for field in ["audience", "claimed_by"] { writer.append(name: field, string: "n-1") }
                writer.append("begins", date: now)
                writer.append("due", date: now)
                writer.append("undecided", bool: true)
            },
            service: .found,
            decision: "claim n-1 of notifire"
        ),
        Case(
            what: "one that says of itself that nothing is decided",
            fields: { $0.append("undecided", bool: true) },
            decision: "refuse: undecided"
        ),
        Case(what: "of no service", service: .refused, decision: "refuse: service"),
        Case(what: "services may not be read", service: .failed(.accessRefused), decision: "leave: no services"),
        Case(
            what: "services may not be read, and it is cancelled",
            fields: { $0.append("cancel", bool: true) },
            service: .failed(.accessRefused),
            decision: "cancel"
        ),
        Case(what: "the store is away", service: .failed(.unreachable), decision: "throw: no services"),
    ]

    @Test("each document has its end", arguments: cases)
    func decision(_ one: Case) {
        let document = BSONDocument { writer in
            writer.append("_id", string: "n-1")
            if let app = one.app { writer.append("app", string: app) }
            writer.append("body", string: "Hello")
            one.fields(writer)
        }
        #expect(Self.decide(document, one.service) == one.decision)
    }

    @Test("what no filter leads to is left, whatever else it says")
    func brokenName() {
        let document = BSONDocument { writer in
            writer.append("_id", utf8: [0x61, 0xFF])
            writer.append("cancel", bool: true)
        }
        #expect(Self.decide(document, .none) == "leave: _id is not UTF-8")
    }

    private static func decide(_ document: BSONDocument, _ service: Service) -> String {
        do throws(MongoError) {
            let decision = try IntakeDecision.make(document, rules, now: now) { () throws(MongoError) in
                switch service {
                case .none: return .success(nil)
                case .found: return .success(voice)
                case .refused: return .failure(noSuchService)
                case .silent: return .failure(PostedRefusal("service", "may say nothing", mayPass: true))
                case .failed(let code): throw MongoError(code: code, operation: "find", reason: "no services")
                }
            }
            return words(decision)
        } catch {
            return "throw: \(error.reason)"
        }
    }

    private static func words(_ decision: IntakeDecision) -> String {
        switch decision {
        case .claim(let one): "claim \(one.message.id) of \(one.message.client)"
        case .refuse(let refusal): "refuse: \(refusal.field ?? String(refusal.description.prefix { $0 != ";" }))"
        case .wait(let time): "wait for \((time - now) / 1000) s"
        case .cancel: "cancel"
        case .markSent: "mark sent"
        case .leave(let reason): reason.contains("no services") ? "leave: no services" : "leave: \(reason)"
        }
    }
}
