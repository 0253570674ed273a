import Testing
import WaybillEncoding
import WaybillProviders

@testable import WaybillCore

/// Who may send as whom: every combination of what a message names and what its sender may.
struct ProducerRulesTests {
    private static func rules(isStrict: Bool) -> ProducerRules {
        ProducerRules(
            isStrict: isStrict,
            users: [
                "all": ProducerRules.Rights(),
                "some": ProducerRules.Rights(
                    clients: ["acme", "caf\u{E9}"],
                    lanes: ["parcels"],
                    kinds: ["alert", "background"]
                ),
            ]
        )
    }

    struct Case: Sendable {
        var user: String?
        var client: String?
        var lane = "parcels"
        var hasMessageID = true
        var hasTimestamp = true
        /// Without and with `strict`; `nil` is let through.
        var refusals: [BodyRejection.Reason?]
    }

    @Test(arguments: [
        Case(user: "all", refusals: [nil, nil]),
        Case(user: "all", client: "anybody", lane: "chat", refusals: [nil, nil]),
        Case(user: "all", hasMessageID: false, refusals: [nil, .missingProperty]),
        Case(user: "all", hasTimestamp: false, refusals: [nil, .missingProperty]),
        Case(user: "some", client: "acme", refusals: [nil, nil]),
        Case(user: "some", client: "caf\u{E9}", refusals: [nil, nil]),
        Case(user: "some", client: "cafe\u{301}", refusals: [.forbiddenClient, .forbiddenClient]),
        Case(user: "some", client: "Acme", refusals: [.forbiddenClient, .forbiddenClient]),
        Case(user: "some", refusals: [.forbiddenClient, .forbiddenClient]),
        Case(user: "some", client: "acme", lane: "chat", refusals: [.forbiddenLane, .forbiddenLane]),
        Case(user: "some", client: "acme", hasMessageID: false, refusals: [nil, .missingProperty]),
        Case(user: "stranger", client: "acme", refusals: [nil, .unknownProducer]),
        Case(user: "stranger", client: "acme", hasMessageID: false, refusals: [nil, .unknownProducer]),
        Case(user: nil, client: "acme", refusals: [nil, .missingProperty]),
        Case(user: "", client: "acme", refusals: [nil, .unknownProducer]),
    ])
    func aMessageIsHeldToItsSendersLists(_ example: Case) {
        for (isStrict, expected) in zip([false, true], example.refusals) {
            let sender = ProducerRules.Sender(
                user: example.user,
                hasMessageID: example.hasMessageID,
                hasTimestamp: example.hasTimestamp
            )
            var reason: String?
            do throws(BodyRejection) {
                let admission = try Self.rules(isStrict: isStrict)
                    .admit(sender, client: example.client, lane: example.lane)
                let isKnown = ["all", "some"].contains(example.user)
                if isKnown {
                    #expect(admission == .known(kinds: example.user == "all" ? nil : ["alert", "background"]))
                } else {
                    #expect(admission == .unknown)
                }
            } catch {
                reason = error.reason
                #expect(error.detail.utf8.count <= 300)
            }
            #expect(reason == expected?.rawValue, "\(example), strict: \(isStrict)")
        }
    }

    @Test func namesFromOutsideAreBounded() {
        let sender = ProducerRules.Sender(
            user: String(repeating: "x\n", count: 500),
            hasMessageID: true,
            hasTimestamp: true
        )
        let error = #expect(throws: BodyRejection.self) {
            try Self.rules(isStrict: true).admit(sender, client: nil, lane: "parcels")
        }
        #expect(error?.detail.contains("\n") == false)
        #expect((error?.detail.utf8.count ?? 0) <= 300)
    }

    // MARK: - Push types

    private static let lane = Lane(name: "parcels", environment: .production, bundleID: "com.example.parcels")

    private static func batch(_ pushTypes: [String]) throws -> Batch {
        let items = pushTypes.map {
            $0.isEmpty
                ? #"{"device_token":"zz","message":"x"}"#
                : #"{"device_token":"aa01","push_type":"\#($0)","payload":{"aps":{"content-available":1}}}"#
        }
        let body = Array(#"{"batch_id":"b","notifications":[\#(items.joined(separator: ","))]}"#.utf8)
        return try BatchDecoder(limits: DecodingLimits(), lanes: [Self.lane])
            .decode(body, properties: MessageProperties()).get()
    }

    private static func valid(_ batch: Batch) -> [Bool] {
        batch.items.map { if case .valid = $0.content { true } else { false } }
    }

    @Test(arguments: [
        (["alert", "voip"], [true, false]), (["alert", "background"], [true, true]),
        (["", "voip", "alert"], [false, false, true]), ([""], [false]),
    ])
    func singleItemsBecomeInvalid(_ pushTypes: [String], _ expected: [Bool]) throws {
        var batch = try Self.batch(pushTypes)
        let before = batch.items.map(\.index)
        try ProducerRules.restrict(
            &batch,
            to: ["alert", "background"],
            field: Self.lane.provider.kindField,
            user: "some"
        )
        #expect(Self.valid(batch) == expected)
        #expect(batch.items.map(\.index) == before)
        for item in batch.items {
            guard case .invalid(let invalid) = item.content, invalid.deviceToken.map(Array.init) == Array("aa01".utf8)
            else { continue }
            #expect(invalid.reason == "push_type: some may not send voip")
        }
    }

    /// The id may be one that somebody else's message derives: the record must not take its place.
    @Test func aForbiddenItemIsRecordedUnderItsDerivedID() throws {
        let given = "6f0c2d4e-8f3b-4c1a-9b7e-2d5f8a1c3e60"
        let body = """
            [{"device_token":"aa01","message":"x"},
             {"device_token":"aa01","message":"x","push_type":"voip","apns_id":"\(given)"}]
            """
        var batch = try BatchDecoder(limits: DecodingLimits(), lanes: [Self.lane])
            .decode(Array(body.utf8), properties: MessageProperties()).get()
        try ProducerRules.restrict(&batch, to: ["alert"], field: Self.lane.provider.kindField, user: "some")
        guard case .invalid(let invalid) = batch.items[1].content else {
            Issue.record("the item is allowed")
            return
        }
        #expect(invalid.id == batch.identity.id(at: 1))
        #expect(invalid.givenID?.description == given)
    }

    @Test(arguments: [["voip"], ["voip", "location"], ["", "voip"]])
    func aMessageOfNothingButForbiddenTypesIsRefused(_ pushTypes: [String]) throws {
        var batch = try Self.batch(pushTypes)
        let error = #expect(throws: BodyRejection.self) {
            try ProducerRules.restrict(&batch, to: ["alert"], field: Self.lane.provider.kindField, user: "some")
        }
        #expect(error?.reason == BodyRejection.Reason.forbiddenKind.rawValue)
    }
}
