// Usage: WAYBILL_KEY=wbk_live_… swift status.swift https://push.example.com ID
import Foundation

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

struct Notification: Decodable {
    let state: String
    let outcomes: [String: Int]
}

struct Refused: Error { let status: Int }

func status(_ base: String, key: String, id: String) async throws -> Notification {
    var request = URLRequest(url: URL(string: "\(base)/v1/notifications/\(id)")!, timeoutInterval: 15)
    request.setValue("Bearer \(key)", forHTTPHeaderField: "Authorization")
    let (data, response) = try await URLSession.shared.data(for: request)
    let status = (response as? HTTPURLResponse)?.statusCode ?? 0
    guard status == 200 else { throw Refused(status: status) }
    return try JSONDecoder().decode(Notification.self, from: data)
}

let arguments = CommandLine.arguments
let key = ProcessInfo.processInfo.environment["WAYBILL_KEY"] ?? ""
let said = try await status(arguments[1], key: key, id: arguments[2])
print(said.state)
for (outcome, count) in said.outcomes { print(outcome, count) }
