import Testing
import WaybillCore
import WaybillEncoding

@testable import waybill

/// What is said of a client's name and its records.
struct ClientWordsTests {
    private static func retention(_ unknown: RetentionPolicy.Unknown = .keep) -> RetentionPolicy {
        RetentionPolicy(
            default: .days(30),
            clients: ["acme": .days(1), "contoso": .keep],
            otherClients: ["globex"],
            unknown: unknown
        )
    }

    @Test(
        arguments: [
            ("acm", .keep, "the configuration names no client acm: its records are kept forever; did you mean acme?"),
            ("notifications", .keep, "the configuration names no client notifications: its records are kept forever"),
            ("x", .default, "the configuration names no client x: its records are kept for the default, 30d"),
            ("x", .reject, "the configuration names no client x: its messages are rejected"),
            ("acme", .keep, nil), ("globex", .reject, nil), (nil, .keep, nil),
        ] as [(String?, RetentionPolicy.Unknown, String?)]
    )
    func unnamed(client: String?, unknown: RetentionPolicy.Unknown, words: String?) {
        #expect(ClientWords.unnamed(client, Self.retention(unknown)) == words)
        #expect(ClientWords.unnamed(client, RetentionPolicy(default: .keep)) == nil)
        #expect(ClientWords.unnamed(client, nil) == nil)
    }

    @Test(
        arguments: [
            ("acme", .keep, "acme, whose records are kept 1 day"),
            ("globex", .keep, "globex, whose records are kept 30 days"),
            ("contoso", .keep, "contoso, whose records are kept forever"),
            ("x", .keep, "x, whose records are kept forever: the configuration does not name it"),
            ("x", .default, "x, whose records are kept for the default, 30 days: the configuration does not name it"),
        ] as [(String, RetentionPolicy.Unknown, String)]
    )
    func keeping(client: String, unknown: RetentionPolicy.Unknown, words: String) {
        #expect(ClientWords.keeping(client, Self.retention(unknown)) == words)
    }
}
