import Foundation
import Testing
import WaybillEncoding
import WaybillMessages
import WaybillMongo
import WaybillTestSupport

@testable import WaybillNotifications

/// `schemas/notification.schema.json` against what reads the documents.
struct PostedSchemaTests {
    private static let dates: Set = ["at", "expires_at", "since", "before"]

    /// As MongoDB has it: times are dates there.
    private static func document(_ example: SchemaExample) throws -> BSONDocument {
        let object = try JSONSerialization.jsonObject(with: Data(example.body)) as? [String: Any]
        var members = try #require(object)
        members["_id"] = example.name
        return Self.document(members)
    }

    private static func document(_ members: [String: Any]) -> BSONDocument {
        BSONDocument { writer in
            for (name, value) in members {
                #expect(writer.append(name: name, value: Self.value(value, of: name)))
            }
        }
    }

    private static func value(_ value: Any, of name: String) -> BSONValue {
        switch value {
        case let text as String:
            if dates.contains(name), let time = TimeText.date(text) { .date(time) } else { .string(text) }
        case let number as NSNumber:
            if isBoolean(number) {
                .bool(number.boolValue)
            } else if let whole = Int64(exactly: number.doubleValue) {
                .int(whole)
            } else {
                .double(number.doubleValue)
            }
        case let members as [String: Any]: .document(document(members))
        case let elements as [Any]:
            .array(document(Dictionary(uniqueKeysWithValues: elements.enumerated().map { (String($0), $1) })))
        default: .null
        }
    }

    private static func isBoolean(_ number: NSNumber) -> Bool { String(cString: number.objCType) == "c" }

    @Test func whatIsValidBecomesAnAudience() throws {
        let examples = try SchemaExample.all(of: "notification", valid: true)
        #expect(!examples.isEmpty)
        for example in examples {
            let posted = try PostedNotification(try Self.document(example), client: "notifications")
            #expect(posted.message.id == example.name)
        }
    }

    @Test func whatIsNotIsRefused() throws {
        let examples = try SchemaExample.all(of: "notification", valid: false)
        #expect(!examples.isEmpty)
        for example in examples {
            #expect(throws: PostedRefusal.self, "\(example.name)") {
                try PostedNotification(try Self.document(example), client: "notifications")
            }
        }
    }
}
