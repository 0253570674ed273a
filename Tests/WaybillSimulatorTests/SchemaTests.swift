import Foundation
import Testing
import WaybillSimulator
import WaybillTestSupport

/// Holds the rules file's reader against `schemas/`, so that neither side can drift.
@Suite struct SchemaTests {
    static let schemas = SchemaExample.schemas

    static func files(in folder: String) throws -> [URL] {
        try FileManager.default.contentsOfDirectory(
            at: schemas.appending(path: folder),
            includingPropertiesForKeys: nil
        )
        .filter { $0.pathExtension == "json" }
    }

    static func bytes(_ file: URL) throws -> [UInt8] { [UInt8](try Data(contentsOf: file)) }

    @Test func readsWhatTheSchemaAllows() throws {
        let examples = try SchemaExample.all(of: "simulator-rules", valid: true)
        #expect(!examples.isEmpty)
        for example in examples {
            #expect(throws: Never.self, "\(example.name)") { try RulesFile.parse(example.body) }
        }
    }

    @Test func refusesWhatTheSchemaForbids() throws {
        let examples = try SchemaExample.all(of: "simulator-rules", valid: false)
        #expect(!examples.isEmpty)
        for example in examples {
            #expect(throws: RulesFileError.self, "\(example.name)") { try RulesFile.parse(example.body) }
        }
    }

    @Test func readsEveryRehearsal() throws {
        let files = try Self.files(in: "rehearsals")
        #expect(files.count > 20)
        for file in files {
            let rules = try RulesFile.parse(Self.bytes(file))
            #expect(rules != SimulatorRules(), "\(file.lastPathComponent) changes nothing")
        }
    }

    func members(_ schema: JSONValue?) -> Set<String> {
        guard case .object(let members) = schema?["properties"] else { return [] }
        return Set(members.map(\.name))
    }

    func words(_ schema: JSONValue?) -> Set<String> {
        guard case .array(let words) = schema?["enum"] else { return [] }
        return Set(words.compactMap { if case .string(let word) = $0 { word } else { nil } })
    }

    func names<Name: RuleVocabulary.Names>(_ type: Name.Type) -> Set<String> { Set(type.allCases.map(\.rawValue)) }

    func names<Word: RawRepresentable<String> & CaseIterable>(of type: Word.Type) -> Set<String> {
        Set(type.allCases.map(\.rawValue))
    }

    @Test func hasTheSameMembers() throws {
        let schema = try JSONParser.parse(Self.bytes(Self.schemas.appending(path: "simulator-rules.schema.json")))
        let parts = schema["$defs"]
        #expect(members(schema) == names(RuleVocabulary.Document.self))
        #expect(members(parts?["rule"]) == names(RuleVocabulary.Request.self))
        #expect(members(parts?["goaway"]) == names(RuleVocabulary.GoAway.self))
        #expect(members(parts?["secondGoaway"]) == names(RuleVocabulary.SecondGoAway.self))
        #expect(members(parts?["connection"]) == names(RuleVocabulary.Connection.self))
        #expect(members(parts?["settings"]) == names(RuleVocabulary.Settings.self))
        #expect(members(parts?["streamStep"]) == names(RuleVocabulary.StreamStep.self))
        #expect(members(parts?["flood"]) == names(RuleVocabulary.Flood.self))
        #expect(members(parts?["providerTokens"]) == names(RuleVocabulary.ProviderTokens.self))
        #expect(members(parts?["streams"]) == names(RuleVocabulary.Streams.self))
    }

    @Test func hasTheSameWords() throws {
        let schema = try JSONParser.parse(Self.bytes(Self.schemas.appending(path: "simulator-rules.schema.json")))
        let parts = schema["$defs"]
        func property(_ part: String, _ name: String) -> JSONValue? { parts?[part]?["properties"]?[name] }
        #expect(words(parts?["documentedReason"]) == names(of: DocumentedReason.self))
        #expect(words(property("rule", "apns_id")) == names(of: AnswerForm.ID.self))
        #expect(words(property("rule", "fcm")) == names(of: FCMRefusal.self))
        #expect(words(property("rule", "reset_after")) == names(of: SimulatorFault.ResetPoint.self))
        #expect(words(property("goaway", "last_stream")) == names(of: SimulatorGoAway.LastStream.self))
        #expect(words(property("connection", "tls")) == names(of: SimulatorConnectionRule.Handshake.self))
        #expect(words(property("flood", "frames")) == names(of: SimulatorConnectionRule.Flood.Frames.self))
        let tokenReasons = Set(ProviderTokenRules.reasons.map(\.rawValue))
        #expect(words(property("providerTokens", "reason_for_all")) == tokenReasons)
    }
}
