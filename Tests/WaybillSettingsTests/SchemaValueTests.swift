import Foundation
import Testing
import WaybillEncoding
import WaybillTestSupport

@testable import WaybillSettings

/// The defaults and limits of the schema, which the page of settings is written from, are the loader's.
@Suite("The schema's values")
struct SchemaValueTests {
    /// A setting outside lists and names that a flag can give.
    struct Setting: CustomTestStringConvertible, Sendable {
        let path: String
        let fallback: String?
        let limits: ClosedRange<Int>?

        var testDescription: String { path }
    }

    /// With the sections that are of use with a setting of their own alone.
    private static let text = ConfigurationText.minimal + "serve:\n  listen: 127.0.0.1:8080\n"

    private static func load(_ setting: Setting, _ value: String) throws -> LoadedConfiguration {
        try ConfigurationText.load(text, overrides: [ExactName(setting.path): value])
    }

    @Test("a default that is written out changes nothing", arguments: try settings().filter { $0.fallback != nil })
    func defaults(setting: Setting) throws {
        let fallback = try #require(setting.fallback)
        let plain = try ConfigurationText.load(Self.text)
        let written = try Self.load(setting, fallback)
        #expect(written.findings == plain.findings)
        #expect(try #require(written.configuration).told == #require(plain.configuration).told)
        #expect(written.sections?.serve == plain.sections?.serve)
    }

    @Test("what is within the limits loads, and nothing beyond", arguments: try settings().filter { $0.limits != nil })
    func limits(setting: Setting) throws {
        let limits = try #require(setting.limits)
        for value in [limits.lowerBound, limits.upperBound] {
            #expect(try !Self.load(setting, String(value)).findings.hasErrors, "\(value)")
        }
        for value in [limits.lowerBound - 1, limits.upperBound + 1] {
            #expect(try Self.load(setting, String(value)).findings.hasErrors, "\(value)")
        }
    }

    @Test("there are settings of both kinds")
    func present() throws {
        let settings = try Self.settings()
        #expect(settings.count { $0.fallback != nil } >= 12)
        #expect(settings.count { $0.limits != nil } >= 6)
    }

    private static func settings() throws -> [Setting] {
        let text = try SchemaExample.text("configuration.schema.json")
        let schema = try #require(JSONSerialization.jsonObject(with: Data(text.utf8)) as? [String: Any])
        let sections = try #require(schema["properties"] as? [String: [String: Any]])
        return sections.flatMap { section, node in
            (node["properties"] as? [String: [String: Any]] ?? [:]).map { name, setting in
                var limits: ClosedRange<Int>?
                if let least = setting["minimum"] as? Int, let most = setting["maximum"] as? Int {
                    limits = least...most
                }
                let fallback: String? =
                    switch setting["default"] {
                    case let text as String: text
                    case let number as Int where setting["type"] as? String == "integer": String(number)
                    default: nil
                    }
                return Setting(path: "\(section).\(name)", fallback: fallback, limits: limits)
            }
        }
        .sorted { $0.path < $1.path }
    }
}

extension WaybillConfiguration {
    /// All of it as text, without what differs from one load to the next: the folder of the file.
    fileprivate var told: String {
        String(describing: self).replacing(/\/[^"]*\/key\.p8/, with: "key.p8")
    }
}
