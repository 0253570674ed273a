import Foundation
import Testing
import WaybillCore
import WaybillMessages
import WaybillMongo

@testable import WaybillNotifications

struct PostedNotificationTests {
    private static func document(_ build: (BSONWriter) -> Void) -> BSONDocument {
        BSONDocument { writer in
            writer.append("_id", string: "n-1")
            build(writer)
        }
    }

    private static func app(_ build: (BSONWriter) -> Void = { _ in }) -> BSONDocument {
        document { writer in
            writer.append("app", string: "com.example.parcels")
            writer.append("body", string: "Hello")
            build(writer)
        }
    }

    private static func body(_ document: BSONDocument) throws -> String {
        String(decoding: try PostedNotification(document, client: "notifications").body, as: UTF8.self)
    }

    @Test func thePapersFormIsEveryDeviceOfTheApp() throws {
        let document = Self.app { writer in
            writer.append("title", string: "Parcel")
            writer.append("subtitle", string: "Today")
            writer.append("category", string: "parcel")
            writer.append("sent", bool: false)
        }
        let posted = try PostedNotification(document, client: "notifications")
        #expect(
            String(decoding: posted.body, as: UTF8.self)
                == #"{"audience_id":"n-1","client":"notifications","content":{"message":"Hello","title":"Parcel","#
                + #""subtitle":"Today","category":"parcel","sound":"default"},"#
                + #""select":{"app":"com.example.parcels"}}"#
        )
        #expect(posted.message.selection == AudienceSelection(app: "com.example.parcels", kind: .filter(.init())))
    }

    @Test func timesFilterAndDataArePassedOn() throws {
        let document = Self.app { writer in
            writer.append("client", string: "acme")
            writer.append("level", string: "error")
            writer.append("at", date: 1_795_000_000_500)
            writer.append("expires_at", date: 1_795_000_600_000)
            writer.append("data") { data in
                data.append("order", int: 7)
                data.append("when", date: 1_700_000_000_005)
                data.append("tags", array: { $0.append(string: "a") })
            }
            writer.append("filter") { filter in
                filter.append("locale", array: { $0.append(string: "de") })
                filter.append("seen") { $0.append("since", date: 1_794_000_000_000) }
            }
        }
        let body = try Self.body(document)
        // Whole seconds, and none too early.
        #expect(body.contains(#""client":"acme","at":1795000001,"#))
        #expect(body.contains(#""sound":"default","delivery_type":"time_sensitive","relevance_score":1,"#))
        #expect(body.contains(#""data":{"order":7,"when":"2023-11-14T22:13:20.005Z","tags":["a"]}"#))
        #expect(body.contains(#""expiration":1795000600"#))
        #expect(body.contains(#""filter":{"locale":["de"],"seen":{"since":1794000000}}"#))
    }

    @Test func anObjectIdAndANumberNameTheAudience() throws {
        for (id, name) in [(BSONValue.int(-5), "-5"), (.int(1 << 40), "1099511627776"), (.string("x"), "x")] {
            let writer = BSONWriter()
            #expect(writer.append(name: "_id", value: id))
            writer.append("app", string: "a")
            writer.append("body", string: "b")
            #expect(try PostedNotification(writer.document, client: "c").message.id == name)
        }
    }

    /// MongoDB keeps both, and each reader takes the one that it likes.
    @Test(arguments: ["body", "app", "cancel", "filter"])
    func aFieldThatAppearsTwiceIsRefused(field: String) {
        let document = BSONDocument { writer in
            writer.append("_id", string: "n-1")
            writer.append(name: field, string: "one")
            writer.append(name: field, string: "another")
        }
        let error = #expect(throws: PostedRefusal.self) { try PostedNotification(document, client: "notifications") }
        #expect(error?.description == "\(field): appears twice")
    }

    static let refusals: [(String, BSONDocument)] = [
        ("body: is missing", document { $0.append("app", string: "a") }),
        ("app: is missing", document { $0.append("body", string: "b") }),
        (
            "app: must be a text",
            document { writer in
                writer.append("body", string: "b")
                writer.append("app", int: 5)
            }
        ),
        ("title: must be a text", app { $0.append("title", int: 5) }),
        ("level: must be info, warning or error", app { $0.append("level", string: "fatal") }),
        ("at: must be a date", app { $0.append("at", string: "tomorrow") }),
        (
            "expires_at: is not after at",
            app { writer in
                writer.append("at", date: 2_000)
                writer.append("expires_at", date: 2_000)
            }
        ),
        ("cancel: must be true or false", app { $0.append("cancel", string: "true") }),
        ("cancel: must be true or false", app { $0.append("cancel", int: 1) }),
        ("held: must be true or false", app { $0.append("held", int: 1) }),
        ("held: must be true or false", app { $0.append("held", double: 0.5) }),
        ("sent: must be true or false, or a whole number", app { $0.append("sent", string: "true") }),
        ("data: must be a document", app { $0.append("data", string: "x") }),
        ("data.aps: is not yours to set", app { $0.append("data") { $0.append("aps", int: 1) } }),
        (
            "data.x: holds a value that JSON has no form for",
            app { writer in
                writer.append("data") { $0.append("x", uuid: 1, 2) }
            }
        ),
        ("filter.tags: must be an array", app { $0.append("filter") { $0.append("tags", string: "beta") } }),
        (
            "has users and devices; one of them only",
            app { writer in
                writer.append("users", array: { $0.append(string: "anna") })
                writer.append("devices", array: { $0.append(string: "phone") })
            }
        ),
        (
            "titel: is not known; known: app, at, body, cancel, category, client, data, devices, expires_at, filter, "
                + "held, level, per_minute, sent, service, subtitle, throttle_key, title, users, and names with x-",
            app { $0.append("titel", string: "x") }
        ),
        ("_id: must be an ObjectId, a text, or a whole number", BSONDocument { $0.append("_id", double: 1.5) }),
    ]

    @Test(arguments: refusals)
    func whatCannotBeSentIsRefusedByFieldAndLimit(_ refusal: String, _ document: BSONDocument) {
        let error = #expect(throws: PostedRefusal.self) { try PostedNotification(document, client: "c") }
        #expect(error?.description == refusal)
    }

    /// Nobody can tell what of it its writer means.
    @Test(arguments: PostedCopy.names.filter { !["cancelled_by", "sent", "state"].contains($0) })
    func whatWaybillAloneWritesIsRefused(field: String) throws {
        let document = Self.app { #expect($0.append(name: field, value: .string("x"))) }
        let error = try #require(throws: PostedRefusal.self) { try PostedNotification(document, client: "c") }
        #expect(error.field == field)
        #expect(error.description.hasPrefix("\(field): written by Waybill alone, so this is a copy; leave out"))
    }

    @Test func aCopyIsToldAllThatItLeavesOut() throws {
        let document = Self.app { writer in
            writer.append("devices", int: 1)
            writer.append("outcomes") { $0.append("accepted", int: 1) }
            writer.append("audience", string: "n-0")
        }
        let error = try #require(throws: PostedRefusal.self) { try PostedNotification(document, client: "c") }
        #expect(error.description.hasPrefix("audience, devices, outcomes: written by Waybill alone"))
        for name in PostedCopy.names { #expect(error.description.contains(name)) }
        #expect(error.field == nil)
    }

    /// A list of devices is its writer's own, and so is what is sent elsewhere.
    @Test func whatIsNoCopyIsNotCalledOne() {
        #expect(PostedCopy.refusal(Self.app { $0.append("devices", array: { $0.append(string: "phone") }) }) == nil)
        let elsewhere = Self.app { writer in
            writer.append("sent", bool: true)
            writer.append("sent_at", date: 1)
        }
        #expect(PostedCopy.refusalOfSent(elsewhere) == nil)
        #expect(PostedCopy.refusal(elsewhere)?.field == "sent_at")
    }

    @Test func thePageNamesWhatACopyLeavesOut() throws {
        let page = try String(
            contentsOf: Self.root.appendingPathComponent("docs/operations/notifications.md"),
            encoding: .utf8
        )
        let names = PostedCopy.names.map { "`\($0)`" }.joined(separator: ", ")
        #expect(page.split(whereSeparator: \.isWhitespace).joined(separator: " ").contains(names), "\(names)")
    }

    private static let root = URL(fileURLWithPath: #filePath).deletingLastPathComponent().appendingPathComponent(
        "../.."
    )

    @Test func flagsMayBeAbsentNullOrFalse() throws {
        let document = Self.app { writer in
            for name in ["cancel", "held", "sent"] as [StaticString] { writer.appendNull(name) }
        }
        #expect(try Self.body(document) == Self.body(Self.app()))
        #expect(try Self.body(Self.app { $0.append("held", bool: false) }) == Self.body(Self.app()))
    }

    /// What was to begin days ago begins when it is taken: its three days count from then.
    @Test func whatLiesInThePastBeginsNow() throws {
        let now: Int64 = 1_795_000_000_000
        func begins(_ at: Int64) throws -> Int64 {
            try PostedNotification(Self.app { $0.append("at", date: at) }, client: "c").begins(now: now)
        }
        #expect(try begins(now - 10 * 86_400_000) == now)
        #expect(try begins(now + 5000) == now + 5000)
        #expect(try PostedNotification(Self.app(), client: "c").begins(now: now) == now)
    }

    @Test func whatSaysThatItWasSentIsKnown() {
        #expect(PostedStore.saysSent(Self.app { $0.append("sent", bool: true) }))
        #expect(PostedStore.saysSent(Self.app { $0.append("sent", int: 1) }))
        #expect(!PostedStore.saysSent(Self.app { $0.append("sent", int: 0) }))
        #expect(!PostedStore.saysSent(Self.app()))
    }

    private static let voice = ServiceVoice(
        service: "5e41ab4e-0000-4000-8000-000000000001",
        name: "Door",
        image: "https://push.example.com/v1/services/5e41ab4e-0000-4000-8000-000000000001/image/00.png",
        accounts: ["acc_0123456789abcdef", "acc_fedcba9876543210"],
        route: NotificationRoute(client: "notifire", app: "com.example.app", environment: .production, lane: "people"),
        time: 1_795_000_000_000
    )

    private static func said(_ build: (BSONWriter) -> Void = { _ in }) -> BSONDocument {
        document { writer in
            writer.append("service", string: voice.service)
            writer.append("body", string: "Open")
            build(writer)
        }
    }

    /// What names a service goes to its people, in its name, by the services' own route.
    @Test func whatNamesAServiceIsSaidByIt() throws {
        let document = Self.said { writer in
            writer.append("level", string: "warning")
            writer.append("data") { $0.append("door", int: 7) }
        }
        let posted = try PostedNotification(document, client: "notifications", voice: Self.voice)
        #expect(posted.message.client == "notifire")
        #expect(posted.message.lanes == ["people"])
        let people = AudienceSelection(app: "com.example.app", kind: .users(Self.voice.accounts))
        #expect(posted.message.selection == people)
        let content = String(decoding: posted.message.content, as: UTF8.self)
        #expect(
            content.hasPrefix(#""service_id":"5e41ab4e-0000-4000-8000-000000000001","payload":{"aps":{"#),
            "\(content)"
        )
        for part in [
            #""alert":{"title":"Door","body":"Open"}"#, #""notification":{"id":"n-1","#, #""level":"warning""#,
            #""serviceUUID":"5e41ab4e-0000-4000-8000-000000000001","image":"https://push.example.com/v1/"#,
            #""data":{"door":7}"#,
        ] {
            #expect(content.contains(part), "\(content)")
        }
    }

    /// Where there are Android phones, it is a content of which each provider's rules make a payload.
    @Test func aServiceSaysItToPhonesOfBothKinds() throws {
        var route = Self.voice.route
        route.fcm = .init(project: "acme-parcels", lane: "people-android")
        let voice = ServiceVoice(
            service: Self.voice.service,
            name: "Door",
            accounts: Self.voice.accounts,
            route: route,
            time: Self.voice.time
        )
        let posted = try PostedNotification(Self.said(), client: "notifications", voice: voice)
        #expect(posted.message.lanes == ["people", "people-android"])
        #expect(posted.message.selection.apps == ["com.example.app", "acme-parcels"])
        let content = String(decoding: posted.message.content, as: UTF8.self)
        #expect(!content.contains("payload"))
        for part in [
            #""title":"Door","message":"Open""#, #""delivery_type":"normal""#, #""notification":{"id":"n-1","#,
        ] {
            #expect(content.contains(part), "\(content)")
        }
    }

    @Test(
        "what chooses devices or a client does not go with a service",
        arguments: ["app", "client", "users", "devices", "filter", "category", "subtitle"]
    )
    func strangersToAService(field: String) {
        let document = Self.said { _ = $0.append(name: field, value: .string("x")) }
        #expect(throws: PostedRefusal(field, "does not go with service, whose people are told")) {
            try PostedNotification(document, client: "notifications", voice: Self.voice)
        }
    }

    /// Nobody speaks in a service's name where services are not known.
    @Test func aServiceIsNotTakenWithoutItsVoice() {
        #expect(throws: PostedRefusal("service", "is not taken here")) {
            try PostedNotification(Self.said(), client: "notifications")
        }
    }

    @Test(
        "what an audience message cannot be is told in the names of the document's fields",
        arguments: [
            ("select: app: is missing", "app: is missing", "app"),
            ("audience_id: must have 1 to 255 bytes", "_id: must have 1 to 255 bytes", "_id"),
            ("content: expiration: is too late", "expires_at: is too late", "expires_at"),
            // Several fields make it up, and none has that name.
            ("content: message: is 6038 bytes", "content: is 6038 bytes", nil),
            ("content: is 5000 bytes", "content: is 5000 bytes", nil),
        ] as [(String, String, String?)]
    )
    func refusal(detail: String, words: String, field: String?) {
        let refusal = PostedRefusal(BodyRejection(.badValue, detail))
        #expect("\(refusal)" == words && refusal.field == field)
    }
}
