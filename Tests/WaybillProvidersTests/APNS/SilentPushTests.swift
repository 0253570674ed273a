import Testing
import WaybillCore
import WaybillEncoding

@testable import WaybillProviders

/// Payloads for the app alone whose message does not name the push type.
struct SilentPushTests {
    private static let silent = #""payload":{"aps":{"content-available":1}}"#

    private func notification(_ members: String) throws -> WaybillCore.Notification {
        let item = try Samples.notification(members)
        return try #require(item.valid, "\(item.invalid?.reason ?? "")")
    }

    @Test(arguments: [
        #"{"aps":{"content-available":1}}"#, #"{"order":7,"aps":{"content-available":true,"category":"c"}}"#,
        #"{"aps":{"content-available":1.0},"alert":"x"}"#, #"{ "aps" : { "content-available" : 1e0 } }"#,
        #"{"aps":{"content\u002davailable":1}}"#, #"{"\u0061ps":{"\u0063ontent-available":1}}"#,
        #"{"a-b":"-","content-":"c-","aps":{"thread-id":"content-","content-available":1}}"#,
    ])
    func derivesBackground(payload: String) throws {
        let notification = try notification("\"payload\":\(payload)")
        #expect(notification.kind == "background" && notification.isKindDerived)
        #expect(notification.priority == .normal)
        #expect(notification.collapseKey == .none)
        #expect(notification.topic == "com.example.parcels")
        #expect(notification.onUnknown == .record)
        #expect(notification.expiration == .immediate && notification.expirationFrom == .default)
        #expect(notification.payload.text == payload, "it is passed on byte for byte")
    }

    @Test(arguments: [
        #"{"aps":{"alert":"x","content-available":1}}"#, #"{"aps":{"content-available":1,"badge":0}}"#,
        #"{"aps":{"content-available":1,"sound":"default"}}"#, #"{"aps":{"content-available":1,"\u0061lert":"x"}}"#,
        #"{"aps":{"content-available":0}}"#, #"{"aps":{"content-available":"1"}}"#, #"{"aps":{}}"#, "{}",
        #"{"content-available":1}"#, #"{"aps":{"data":{"content-available":1}}}"#, #"{"aps":"content-available"}"#,
        #"{"aps":{"alert":"content-available"}}"#, #"{"aps":{"alert":"a\nb"}}"#,
        #"{"aps":{},"x":"content-available"}"#,
    ])
    func leavesOthersAsAlerts(payload: String) throws {
        let notification = try notification("\"payload\":\(payload)")
        #expect(notification.kind == "alert" && !notification.isKindDerived)
        #expect(notification.priority == .high && notification.onUnknown == .resend)
        #expect(notification.collapseKey != .none)
    }

    /// APNs refuses 10 for a background push; a message that worked is not invalid now.
    @Test(arguments: [("10", PriorityClass.normal), ("5", .normal), ("1", .normal)])
    func lowersPriority(given: String, sent: PriorityClass) throws {
        #expect(try notification(Self.silent + ",\"priority\":\(given)").priority == sent)
    }

    @Test func keepsExplicitFields() throws {
        let members =
            #","collapse_id":"order-7","expiration":1800000000,"on_unknown":"resend","topic":"com.example.other""#
        let notification = try notification(Self.silent + members)
        #expect(notification.kind == "background")
        #expect(notification.collapseKey == .explicit(Array("order-7".utf8)[...]))
        #expect(notification.expiration == .at(1_800_000_000) && notification.expirationFrom == .message)
        #expect(notification.onUnknown == .resend && notification.topic == "com.example.other")
        for rule in ["content", "notification"] {
            #expect(try self.notification(Self.silent + ",\"collapse\":\"\(rule)\"").collapseKey == .none)
        }
    }

    @Test(arguments: [
        (#","push_type":"alert""#, "alert", PriorityClass.high), (#","delivery_type":"normal""#, "alert", .high),
        (#","push_type":"voip""#, "voip", .high), (#","push_type":"background""#, "background", .normal),
        (#","delivery_type":"silent""#, "background", .normal),
    ])
    func keepsNamedType(members: String, kind: String, priority: PriorityClass) throws {
        let notification = try notification(Self.silent + members)
        #expect(notification.kind == kind && notification.priority == priority && !notification.isKindDerived)
    }

    @Test func derivesInEveryForm() throws {
        let payload = Self.silent
        let bodies = [
            #"{"defaults":{"priority":10,"badge":1},"notifications":[{"device_token":"0a",\#(payload)},{"device_token":"0b",\#(payload)}]}"#,
            #"{\#(payload),"device_tokens":["0a","0b"]}"#,
            #"{\#(payload),"defaults":{"priority":10},"device_tokens":["0a","0b"]}"#,
            #"[{"device_token":"0a",\#(payload)},{"device_token":"0b",\#(payload)}]"#,
        ]
        for body in bodies {
            let found = try Samples.decode(body).items.compactMap(\.valid)
            #expect(found.map(\.kind) == ["background", "background"], "\(body)")
            #expect(found.map(\.priority) == [.normal, .normal] && found.allSatisfy(\.isKindDerived))
        }
        for type in [#""push_type":"alert""#, #""delivery_type":"normal""#] {
            let named = [
                #"{"defaults":{\#(type)},"notifications":[{"device_token":"0a",\#(payload)}]}"#,
                #"{\#(type),\#(payload),"device_tokens":["0a"]}"#,
                #"{"defaults":{\#(type)},\#(payload),"device_tokens":["0a"]}"#,
            ]
            for body in named {
                let found = try Samples.decode(body).items.compactMap(\.valid)
                #expect(found.map(\.kind) == ["alert"] && !found[0].isKindDerived, "\(body)")
            }
        }
    }

    /// Items share their settings, and a silent one changes only its own.
    @Test func leavesNeighboursAlone() throws {
        let alert = #""payload":{"aps":{"alert":"x"}}"#
        let items = [Self.silent, alert, Self.silent, alert].map { #"{"device_token":"0a",\#($0)}"# }
        let found = try Samples.decode("[\(items.joined(separator: ","))]").items.compactMap(\.valid)
        #expect(found.map(\.kind) == ["background", "alert", "background", "alert"])
        #expect(found.map(\.priority) == [.normal, .high, .normal, .high])
    }

    @Test func fingerprintHasDerivedType() throws {
        let given = Self.silent + #","apns_id":"\#(Samples.apnsID)""#
        let derived = try notification(given).fingerprint
        #expect(try derived == notification(given + #","push_type":"background""#).fingerprint)
        #expect(try derived != notification(given + #","push_type":"alert""#).fingerprint)
    }

    @Test func rightsHoldForDerivedType() throws {
        let body = #"[{"device_token":"0a",\#(Self.silent)},{"device_token":"0b","message":"x"}]"#
        var batch = try Samples.decode(body)
        let field = Samples.lanes[0].provider.kindField
        try ProducerRules.restrict(&batch, to: ["alert"], field: field, user: "acme-app")
        #expect(
            batch.items.map { $0.invalid?.reason } == [
                "push_type: acme-app may not send background, the type of a silent payload", nil,
            ]
        )
        var allowed = try Samples.decode(body)
        try ProducerRules.restrict(&allowed, to: ["alert", "background"], field: field, user: "acme-app")
        #expect(allowed.items.allSatisfy { $0.valid != nil })
    }
}
