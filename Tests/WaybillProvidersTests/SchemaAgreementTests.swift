import Testing
import WaybillCore
import WaybillProviders
import WaybillTestSupport

/// The decoders and the schemas agree on every example; `scripts/check-schemas.py` is the other half.
struct SchemaAgreementTests {
    @Test func validMessagesHaveNoInvalidItem() throws {
        let examples = try SchemaExample.all(of: "dispatch-message", valid: true)
        #expect(examples.count > 30)
        for example in examples {
            let result = Samples.decoder().decode(example.body, properties: MessageProperties())
            guard case .success(let batch) = result else {
                Issue.record("\(example.name): \(result)")
                continue
            }
            #expect(!batch.items.isEmpty)
            for item in batch.items { #expect(item.invalid?.reason == nil, "\(example.name)") }
        }
    }

    @Test func brokenEnvelopesAreRejected() throws {
        let examples = try SchemaExample.all(of: "dispatch-message", valid: false).filter { $0.name.hasPrefix("body-") }
        #expect(examples.count > 30)
        for example in examples { #expect(Samples.rejection(example.body) != nil, "\(example.name)") }
    }

    @Test func brokenNotificationsAreInvalidItems() throws {
        let examples = try SchemaExample.all(of: "dispatch-message", valid: false).filter { $0.name.hasPrefix("item-") }
        #expect(examples.count > 100)
        for example in examples {
            let result = Samples.decoder().decode(example.body, properties: MessageProperties())
            guard case .success(let batch) = result else {
                Issue.record("\(example.name): \(result)")
                continue
            }
            let reasons = batch.items.compactMap(\.invalid?.reason)
            #expect(!reasons.isEmpty, "\(example.name)")
            for reason in reasons { #expect(!reason.contains(Samples.token.prefix(16)), "\(example.name): \(reason)") }
        }
    }

    @Test func lanesToFCMHaveASchemaOfTheirOwn() throws {
        let decoder = BatchDecoder(limits: DecodingLimits(), lanes: [FCMSamples.lane])
        for isValid in [true, false] {
            let examples = try SchemaExample.all(of: "dispatch-message-fcm", valid: isValid)
            #expect(examples.count > 15)
            for example in examples {
                switch decoder.decode(example.body, properties: MessageProperties()) {
                case .failure(let rejection): #expect(example.name.hasPrefix("body-"), "\(example.name): \(rejection)")
                case .success(let batch):
                    let faults = batch.items.compactMap(\.invalid?.reason)
                    #expect(faults.isEmpty == isValid, "\(example.name): \(faults)")
                    #expect(!example.name.hasPrefix("body-"))
                }
            }
        }
    }

    @Test func everyRejectionReasonIsDocumented() throws {
        let document = try SchemaExample.text("asyncapi.yaml")
        for reason in BodyRejection.Reason.allCases { #expect(document.contains("- \(reason.rawValue)\n")) }
    }

    @Test func everyOutcomeIsDocumented() throws {
        let schema = try SchemaExample.text("delivery-record.schema.json")
        for outcome in Outcome.allCases { #expect(schema.contains("\"\(outcome.rawValue)\"")) }
    }
}
