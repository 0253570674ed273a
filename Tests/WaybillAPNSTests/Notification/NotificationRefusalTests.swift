import Testing
import WaybillAPNS

@Suite("Notifications that are refused before sending")
struct NotificationRefusalTests {
    struct Row: CustomTestStringConvertible, Sendable {
        let name: String
        let field: String
        let usesCertificate: Bool
        let change: @Sendable (inout APNSNotification) -> Void
        var testDescription: String { "\(name): \(field)" }

        init(
            _ name: String,
            _ field: String,
            certificate: Bool = false,
            _ change: @escaping @Sendable (inout APNSNotification) -> Void
        ) {
            self.name = name
            self.field = field
            usesCertificate = certificate
            self.change = change
        }

        func request() throws(APNSError) -> APNSRequest {
            var notification = APNSNotification(
                to: "ab01",
                payload: APNSPayload(json: #"{"aps":{"content-available":1}}"#),
                pushType: .alert
            )
            change(&notification)
            return try notification.makeRequest(
                index: 0,
                bundleID: "com.example.parcels",
                usesCertificate: usesCertificate
            )
        }
    }

    static let refusals: [Row] = [
        Row("no token", "deviceToken") { $0.deviceToken = "" },
        Row("one digit", "deviceToken") { $0.deviceToken = "a" },
        Row("an odd number of digits", "deviceToken") { $0.deviceToken = "abc" },
        Row("402 digits", "deviceToken") { $0.deviceToken = String(repeating: "a", count: 402) },
        Row("a letter beyond f", "deviceToken") { $0.deviceToken = "abcg" },
        Row("a space", "deviceToken") { $0.deviceToken = "ab cd1" },
        Row("brackets, as a description of data has", "deviceToken") { $0.deviceToken = "<ab01>" },
        Row("a path", "deviceToken") { $0.deviceToken = "ab/../cd" },
        Row("digits that are no ASCII", "deviceToken") { $0.deviceToken = "１２３４" },
        Row("a type of no letters", "pushType") { $0.pushType = APNSPushType(rawValue: "") },
        Row("a type with a line end", "pushType") { $0.pushType = APNSPushType(rawValue: "a\r\nb: c") },
        Row("location with a certificate", "pushType", certificate: true) { $0.pushType = .location },
        Row("an empty topic", "topic") { $0.topic = "" },
        Row("a topic with a space", "topic") { $0.topic = "com.example parcels" },
        Row("a topic with a line end", "topic") { $0.topic = "com.example\n" },
        Row("a topic beyond ASCII", "topic") { $0.topic = "com.example.köln" },
        Row("background at once", "priority") {
            $0.pushType = .background
            $0.priority = .immediate
        },
        Row("a Live Activity that never wakes", "priority") {
            $0.pushType = .liveActivity
            $0.priority = .neverWakes
        },
        Row("a priority of 0", "priority") { $0.priority = APNSPriority(rawValue: 0) },
        Row("a priority of 7", "priority") { $0.priority = APNSPriority(rawValue: 7) },
        Row("a negative expiration", "expiration") { $0.expiration = .at(-1) },
        Row("an expiration in milliseconds", "expiration") { $0.expiration = .at(1_700_000_000_000) },
        Row("an empty collapse id", "collapseID") { $0.collapseID = "" },
        Row("a collapse id of 65 bytes", "collapseID") { $0.collapseID = String(repeating: "a", count: 65) },
        Row("a collapse id of 33 characters and 66 bytes", "collapseID") {
            $0.collapseID = String(repeating: "é", count: 33)
        },
        Row("a collapse id beyond ASCII", "collapseID") { $0.collapseID = "köln" },
        Row("a collapse id with a space", "collapseID") { $0.collapseID = "a b" },
        Row("a collapse id with a line end", "collapseID") { $0.collapseID = "a\r\nb" },
        Row("no payload", "payload") { $0.payload = APNSPayload(json: []) },
        Row("a text for a payload", "payload") { $0.payload = APNSPayload(json: "hello") },
        Row("an array for a payload", "payload") { $0.payload = APNSPayload(json: #"[{"aps":{}}]"#) },
        Row("half a payload", "payload") { $0.payload = APNSPayload(json: #"{"aps":{"x"#) },
        Row("white space for a payload", "payload") { $0.payload = APNSPayload(json: " \n\t ") },
        Row("aps in an MDM push", "aps") {
            $0.pushType = .mdm
            $0.topic = "com.apple.mgmt.External.1"
        },
    ]

    @Test("A value that is not allowed is named", arguments: refusals)
    func refused(row: Row) {
        let error = #expect(throws: APNSError.self) { try row.request() }
        #expect(error?.field == row.field)
        #expect(error?.code == .invalidNotification)
        #expect(error?.fate == .notSent)
        #expect(error?.apnsID != nil)
        #expect(error?.text.hasPrefix(row.field) == true)
    }

    static let limits: [Row] = [
        Row("two digits", "") { $0.deviceToken = "aB" },
        Row("400 digits", "") { $0.deviceToken = String(repeating: "a", count: 400) },
        Row("location with a token", "") { $0.pushType = .location },
        Row("a type that nobody knows", "", certificate: true) { $0.pushType = APNSPushType(rawValue: "new") },
        Row("background that never wakes", "") {
            $0.pushType = .background
            $0.priority = .neverWakes
        },
        Row("a collapse id of 64 bytes", "") { $0.collapseID = String(repeating: "~", count: 64) },
        Row("a collapse id of one byte", "") { $0.collapseID = "!" },
        Row("the last expiration", "") { $0.expiration = .at(4_294_967_295) },
    ]

    @Test("The limits themselves are allowed", arguments: limits)
    func allowed(row: Row) throws {
        _ = try row.request()
    }

    @Test("An expiration of 0 seconds is one attempt, as in the header")
    func zeroExpiration() throws {
        let row = Row("0", "") { $0.expiration = .at(0) }
        #expect(try row.request().expiration == .immediate)
    }

    @Test("A refusal tells neither the token nor the payload")
    func privacy() {
        let row = Row("secret", "deviceToken") { $0.deviceToken = "secret-of-ada!" }
        let error = #expect(throws: APNSError.self) { try row.request() }
        #expect(error.map { "\($0)" }?.contains("ada") == false)
    }
}
