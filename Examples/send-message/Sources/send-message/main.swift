import Foundation
import WaybillFCM

// Sends one typed and one ready message, and prints what became of each.
// Ends with 0 when both were accepted, 1 when one was not, 64 for wrong usage, 78 for a key or setting that cannot be used.

do {
    let arguments = Array(CommandLine.arguments.dropFirst())
    if arguments == ["--help"] {
        print(Options.usage)
        exit(0)
    }
    let options = try Options(arguments)
    let client = try FCMClient(options.configuration())
    let target = FCMTarget.token(try options.needed("--token"))

    let typed = FCMMessage(
        to: target,
        FCMContent(data: ["title": "Parcel 7", "text": "It is at your door"], priority: .high)
    )
    let ready = FCMMessage(
        to: target,
        ready: Array(#"{"notification":{"title":"Parcel 7"},"data":{"parcel":"7"}}"#.utf8)
    )

    var allAccepted = true
    for (name, message) in [("typed", typed), ("ready", ready)] {
        do {
            let response = try await client.send(message)
            print("\(name) \(describe(response))")
            allAccepted = allAccepted && response.isAccepted
        } catch {
            print("\(name): \(error)")
            allAccepted = false
        }
    }
    await client.close()
    exit(allAccepted ? 0 : 1)
} catch let error as UsageError {
    complain("\(error.text)\n\(Options.usage)")
    exit(64)
} catch {
    complain("\(error)")
    exit(78)
}

/// The answer and what to do about it, in a line.
func describe(_ response: FCMResponse) -> String {
    let outcome = response.isAccepted ? "\(response.name ?? "no name"): accepted" : "refused, \(response)"
    return "\(outcome); \(advice(response))"
}

func advice(_ response: FCMResponse) -> String {
    switch response.action {
    case .none: "nothing to do"
    case .removeToken: "stop sending to this token"
    case .checkToken: "look whether the token is of this project"
    case .dropMessage: "correct the message"
    case .fixConfiguration: "correct the key, its rights or the project"
    case .retryLater: "send it again in \(response.retryAfter ?? .seconds(60))"
    }
}

func complain(_ text: String) {
    FileHandle.standardError.write(Data("send-message: \(text)\n".utf8))
}
