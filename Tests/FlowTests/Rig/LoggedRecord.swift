import Foundation
import Testing

/// A delivery record as `waybill logs --json` prints it.
struct LoggedRecord: Decodable {
    struct Attempt: Decodable {
        let date: String
        let status: Int?
        let reason: String?
        let detail: String?
        let latency: Double?

        enum CodingKeys: String, CodingKey {
            case date, reason, detail
            case status = "status_code"
            case latency = "latency_ms"
        }
    }

    struct Family: Decodable {
        let first: String
        let number: Int
        let of: Int
    }

    struct Wait: Decodable {
        let reason: String
        let from: String
        let until: String?
        let times: Int
    }

    let id: String
    let deviceToken: String?
    let outcome: String
    let statusCode: Int?
    let reason: String?
    let message: String?
    let date: String
    let expiresAt: String?
    let batchID: String
    let client: String?
    let serviceID: String?
    let lane: String
    let provider: String?
    let providerID: String?
    let topic: String?
    let pushType: String?
    let pushTypeFrom: String?
    let priority: Int?
    let expiration: Int?
    let expirationFrom: String?
    let maxAge: Int?
    let collapseID: String?
    let attempts: Int
    let family: Family?
    let invalidSince: String?
    let isRepeat: Bool?
    let history: [Attempt]?
    let waited: [Wait]?

    enum CodingKeys: String, CodingKey {
        case id = "_id"
        case deviceToken = "device_token"
        case outcome
        case statusCode = "status_code"
        case reason, message, date
        case expiresAt = "expires_at"
        case batchID = "batch_id"
        case client, lane, provider, topic
        case providerID = "provider_id"
        case serviceID = "service_id"
        case pushType = "push_type"
        case pushTypeFrom = "push_type_from"
        case expirationFrom = "expiration_from"
        case priority, expiration
        case maxAge = "max_age"
        case collapseID = "collapse_id"
        case attempts, family
        case invalidSince = "invalid_since"
        case isRepeat = "repeat"
        case history, waited
    }
}

private struct OutcomeCount: Decodable {
    let outcome: String
    let count: Int
}

extension Rig {
    /// The records that `waybill logs` finds; where its time is up, it goes on from there.
    func records(_ filters: String...) throws -> [LoggedRecord] {
        let command = ["logs", "--json", "--limit", "100000", "--config", configurationFile.path] + filters
        var result = try Program.run("waybill", command)
        var lines = result.output.split(separator: "\n")
        while result.status == 75, let cursor = result.errors.firstMatch(of: /--cursor (\S+)/)?.1 {
            result = try Program.run("waybill", command + ["--cursor", String(cursor)])
            lines += result.output.split(separator: "\n")
        }
        guard result.status == 0 else { throw RigError("waybill logs: \(result.errors)") }
        return try lines.map { try JSONDecoder().decode(LoggedRecord.self, from: Data($0.utf8)) }
    }

    /// The number of records by outcome that `waybill logs --count` finds.
    func counts(_ filters: String...) throws -> [String: Int] {
        let result = try Program.run(
            "waybill",
            ["logs", "--count", "--json", "--config", configurationFile.path] + filters
        )
        guard result.status == 0 else { throw RigError("waybill logs --count: \(result.errors)") }
        let lines = try result.output.split(separator: "\n").map {
            try JSONDecoder().decode(OutcomeCount.self, from: Data($0.utf8))
        }
        return Dictionary(uniqueKeysWithValues: lines.map { ($0.outcome, $0.count) })
    }

    /// The records of a batch once all of them are final.
    func finalRecords(batch: String, count: Int, within seconds: Double = 30) async throws -> [LoggedRecord] {
        var found: [LoggedRecord] = []
        try await eventually("\(count) final records of \(batch); log: \(log)", within: seconds) {
            // Counting is quick where there are many; looking at them is not.
            let counted = try counts("--batch", batch)
            guard counted.values.reduce(0, +) - counted["deferred", default: 0] >= count else { return false }
            found = try records("--batch", batch)
            return true
        }
        return found
    }
}

/// Bodies and tokens for tests.
enum Sample {
    /// A token that begins with a prefix a rule matches.
    static func token(_ prefix: String = "", _ number: Int) -> String {
        let digits = String(number, radix: 16)
        return prefix + String(repeating: "0", count: 64 - prefix.count - digits.count) + digits
    }

    /// A batch of messages to the given tokens.
    static func batch(_ id: String, tokens: [String], extra: String = "") -> String {
        let items = tokens.map { #"{"device_token":"\#($0)","message":"Your parcel is here"}"# }
        return #"{"batch_id":"\#(id)"\#(extra),"notifications":[\#(items.joined(separator: ","))]}"#
    }
}
