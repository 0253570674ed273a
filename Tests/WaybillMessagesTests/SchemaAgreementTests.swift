import Foundation
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

    @Test(arguments: [
        (#""message":"Slow""#, "message: is not known; known: audience_id, client, "),
        (#""select":{"app":"a","tags":["b"]}"#, "select.tags: is not known; known: app, users, "),
    ])
    func aMemberOfAnAudienceThatIsNotKnownIsNamed(member: String, words: String) {
        let select = member.contains("select") ? "" : #","select":{"app":"a"}"#
        let body = #"{"audience_id":"a","client":"acme","content":{"message":"b"},\#(member)\#(select)}"#
        let rejection = #expect(throws: BodyRejection.self) { try AudienceMessage(decoding: Array(body.utf8)) }
        #expect(rejection?.reason == BodyRejection.Reason.unknownField.rawValue)
        #expect(rejection?.detail.hasPrefix(words) == true, "\(rejection?.detail ?? "")")
    }

    /// The example in docs/operations/audiences.md is a message.
    @Test func theAudienceOfTheDocsIsOne() throws {
        let page = SchemaExample.schemas.deletingLastPathComponent().appending(path: "docs/operations/audiences.md")
        let blocks = try String(contentsOf: page, encoding: .utf8).components(separatedBy: "```")
        let examples = blocks.filter { $0.hasPrefix("json\n{\n  \"audience_id\"") }
        let example = try #require(examples.first)
        let message = try AudienceMessage(decoding: Array(example.dropFirst("json\n".count).utf8))
        #expect(message.id == "news-7" && message.cancelKey == "autumn" && message.throttle?.perMinute == 60_000)
        #expect(message.at == 1_795_248_000_000)
    }

    @Test func everyHeaderIsDocumented() throws {
        let document = try SchemaExample.text("asyncapi.yaml")
        for header in MessageHeader.allCases { #expect(document.contains(" \(header.rawValue):\n")) }
    }
}
