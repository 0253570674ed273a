import Testing
import WaybillCore
import WaybillMessages
import WaybillTestSupport

/// The decoders and the schemas agree on every example; `scripts/check-schemas.py` is the other half.
struct SchemaAgreementTests {
    @Test func events() throws {
        for example in try SchemaExample.all(of: "invalid-token-event", valid: true) {
            #expect(throws: Never.self, "\(example.name)") { try InvalidTokenEvent(decoding: example.body) }
        }
        let invalid = try SchemaExample.all(of: "invalid-token-event", valid: false)
        #expect(invalid.count > 20)
        for example in invalid {
            #expect(throws: BodyRejection.self, "\(example.name)") { try InvalidTokenEvent(decoding: example.body) }
        }
    }

    @Test func audiences() throws {
        for example in try SchemaExample.all(of: "audience-message", valid: true) {
            let message = try AudienceMessage(decoding: example.body)
            #expect(try AudienceMessage(decoding: message.encoded()) == message, "\(example.name)")
        }
        let invalid = try SchemaExample.all(of: "audience-message", valid: false)
        #expect(invalid.count > 20)
        for example in invalid {
            #expect(throws: BodyRejection.self, "\(example.name)") { try AudienceMessage(decoding: example.body) }
        }
    }

    @Test func everyHeaderIsDocumented() throws {
        let document = try SchemaExample.text("asyncapi.yaml")
        for header in MessageHeader.allCases { #expect(document.contains(" \(header.rawValue):\n")) }
    }
}
