// Usage: WAYBILL_KEY=wbk_live_… swift notify.swift https://push.example.com NAME BODY
import Foundation

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

struct Refused: Error { let detail: String }

func notify(_ base: String, key: String, name: String, body: String) async throws -> String {
    var request = URLRequest(url: URL(string: "\(base)/v1/notifications")!, timeoutInterval: 15)
    request.httpMethod = "POST"
    request.setValue("Bearer \(key)", forHTTPHeaderField: "Authorization")
    request.setValue("application/json", forHTTPHeaderField: "Content-Type")
    request.setValue("\"\(name)\"", forHTTPHeaderField: "Idempotency-Key")
    request.httpBody = try JSONSerialization.data(withJSONObject: ["level": "warning", "body": body])
    for attempt in 0..<6 {
        var pause = 1 << attempt
        if let (data, response) = try? await URLSession.shared.data(for: request),
            let answer = response as? HTTPURLResponse,
            let said = try? JSONSerialization.jsonObject(with: data) as? [String: Any]
        {
            if answer.statusCode == 202, let id = said["id"] as? String { return id }
            guard [409, 429].contains(answer.statusCode) || answer.statusCode >= 500 else {
                throw Refused(detail: said["detail"] as? String ?? "\(answer.statusCode)")
            }
            pause = answer.value(forHTTPHeaderField: "Retry-After").flatMap { Int($0) } ?? pause
        }
        try await Task.sleep(for: .seconds(pause))
    }
    throw Refused(detail: "no answer")
}

let arguments = CommandLine.arguments
let key = ProcessInfo.processInfo.environment["WAYBILL_KEY"] ?? ""
print(try await notify(arguments[1], key: key, name: arguments[2], body: arguments[3]))
