import Testing
import WaybillAMQP
import WaybillCore
import WaybillEncoding
import WaybillMessages

@testable import WaybillDispatcher

/// Who a message is of, on its first way and when it comes again, and what is said of the ones that are refused.
struct ProducerIntakeTests {
    private static let rules = ProducerRules(
        isStrict: false,
        users: ["acme-app": ProducerRules.Rights(clients: ["acme"])]
    )

    private static func body(client: String) -> String {
        #"{"batch_id":"b","client":"\#(client)","notifications":[{"device_token":"aa01","message":"x"}]}"#
    }

    private static func take(
        _ body: String,
        _ properties: AMQPProperties,
        from source: MessageSource = Samples.dispatch
    ) -> Intake.Result {
        Intake(decoder: Samples.decoder, rules: rules)
            .take(Samples.delivery(body, properties: properties), from: source, epoch: 1)
    }

    private static func rejected(_ result: Intake.Result) -> RejectedBody? {
        guard case .rejected(let publication) = result, case .rejectedBody(let body) = publication.content else {
            return nil
        }
        return body
    }

    private static func message(_ result: Intake.Result) -> InFlightMessage? {
        if case .accepted(let message) = result { message } else { nil }
    }

    @Test func aRefusedMessageNamesWhoseItIs() throws {
        let properties = AMQPProperties(correlationID: "their-own", appID: "shop 3.1", userID: "acme-app")
        let body = try #require(Self.rejected(Self.take(Self.body(client: "contoso"), properties)))
        #expect(body.reason == "forbidden_client")
        #expect(body.isRefusal)
        let published = body.published
        #expect(published.correlationID == "their-own")
        #expect(published.appID == "shop 3.1")
        #expect(published.userID == nil)
        #expect(published[header: "x-waybill-producer"] == "acme-app")
        #expect(published[header: "x-waybill-client"] == "contoso")
        #expect(published[header: "x-waybill-batch"] == "b")
        #expect(published[header: "x-waybill-queue"] == "waybill.dispatch")
        let fields = DispatchEvent.bodyRejected(body).fields
        for (name, value) in [
            ("client", "contoso"), ("batch", "b"), ("app_id", "shop 3.1"), ("producer", "acme-app"),
            ("queue", "waybill.dispatch"), ("reason", "forbidden_client"),
        ] {
            let shown: String? = fields[name].map { String(describing: $0) }
            #expect(shown == value)
        }
    }

    /// What can be read of an envelope is told, also where the body is cut short.
    @Test(
        arguments: [
            (#"{"batch_id":"b","client":"acme","lane":"nobody","notifications":[7]}"#, "b", "acme"),
            (#"{"batch_id":"b","client":"acme","notifications":[7"#, "b", "acme"),
            (#"{"batch_id":7,"client":{},"notifications":[7]}"#, nil, nil),
            (#"{"batch_id":"a\nb","client":"\ud83d","notifications":[7]}"#, nil, nil), ("hello", nil, nil),
        ] as [(String, String?, String?)]
    )
    func anUnreadableBodyNamesWhatItsEnvelopeSays(_ text: String, _ batch: String?, _ client: String?) throws {
        let body = try #require(Self.rejected(Self.take(text, AMQPProperties(userID: "acme-app"))))
        #expect(!body.isRefusal)
        #expect(body.origin.batchID == batch)
        #expect(body.origin.client == client)
        #expect(body.origin.producer == "acme-app")
    }

    @Test func somebodyUnknownIsLetThroughAndSaidToBe() throws {
        for user in ["stranger", nil] {
            let result = Self.take(Self.body(client: "contoso"), AMQPProperties(userID: user))
            #expect(Self.message(result)?.origin.isOfUnknownProducer == true)
        }
        let known = Self.take(Self.body(client: "acme"), AMQPProperties(userID: "acme-app"))
        #expect(Self.message(known)?.origin.isOfUnknownProducer == false)
    }

    /// The broker would refuse to take a retry under the producer's `user-id`.
    @Test func aRetryCarriesItsProducerAndIsNotAskedAgain() throws {
        let first = try #require(
            Self.message(Self.take(Self.body(client: "acme"), AMQPProperties(userID: "acme-app")))
        )
        var (properties, body) = RetryMessage.make(first, positions: [0], pass: 2)
        #expect(properties.userID == nil)
        #expect(properties[header: "x-waybill-producer"] == "acme-app")
        // The rules have changed in the meantime.
        properties.headers.removeAll { $0.name == "x-waybill-producer" }
        properties.headers.append(("x-waybill-producer", "gone"))
        let strict = ProducerRules(isStrict: true, users: [:])
        let again = Intake(decoder: Samples.decoder, rules: strict).take(
            Samples.delivery(String(decoding: body, as: UTF8.self), properties: properties),
            from: Samples.retry,
            epoch: 1
        )
        #expect(Self.message(again)?.origin.producer == "gone")
    }

    @Test(
        arguments: [("acme-app", "acme", nil), ("acme-app", "contoso", "forbidden_client")]
            as [(String, String, String?)]
    )
    func aReplayIsAskedByTheNameInItsHeader(_ producer: String, _ client: String, _ reason: String?) {
        let properties = AMQPProperties(headers: [
            ("x-waybill-replay", true), ("x-waybill-producer", .string(producer)),
        ])
        let result = Self.take(Self.body(client: client), properties, from: Samples.retry)
        #expect(Self.rejected(result)?.reason == reason)
        #expect((Self.message(result) == nil) == (reason != nil))
    }

    @Test func aForgedNameOnADispatchQueueSaysNothing() {
        let properties = AMQPProperties(
            userID: "acme-app",
            headers: [("x-waybill-producer", "stranger"), ("x-waybill-replay", true)]
        )
        #expect(Self.rejected(Self.take(Self.body(client: "contoso"), properties))?.origin.producer == "acme-app")
    }

    @Test func theTallyOfProducersIsBounded() {
        var tally = ProducerTally()
        for number in 0..<1000 { tally.add("p\(number)") }
        tally.add(nil)
        #expect(tally.counts.count == 21)
        #expect(tally.counts["(others)"] == 981)
        #expect(tally.text.hasPrefix("(others) 981, p0 1, "))
    }
}
