import Foundation
import WaybillAPNS

// Sends one typed and one opaque notification, and prints what became of each.
// Ends with 0 when both were accepted, 1 when one was not, 64 for wrong usage, 78 for a key or setting that cannot be used.

/// Keys beside `aps`, as the app expects them.
struct Parcel: Encodable {
    var parcel: Int
}

do {
    let arguments = Array(CommandLine.arguments.dropFirst())
    if arguments == ["--help"] {
        print(Options.usage)
        exit(0)
    }
    let options = try Options(arguments)
    let client = try APNSClient(makeConfiguration(options))
    let deviceToken = try options.needed("--device-token")

    let typed = try APNSNotification(
        to: deviceToken,
        .alert(title: "Parcel 7", body: "It is at your door", sound: .default),
        custom: Parcel(parcel: 7)
    )
    let opaque = APNSNotification(
        to: deviceToken,
        payload: Array(#"{"aps":{"alert":"Parcel 7 is at your door"},"parcel":7}"#.utf8),
        pushType: .alert
    )

    var allAccepted = true
    for (name, notification) in [("typed", typed), ("opaque", opaque)] {
        do {
            let response = try await client.send(notification)
            print("\(name) \(describe(response))")
            allAccepted = allAccepted && response.isAccepted
        } catch {
            print("\(name) \(notification.apnsID): \(error)")
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

/// The lane, from what the options say.
func makeConfiguration(_ options: Options) throws -> APNSConfiguration {
    let source = try APNSProviderTokenSource(
        teamID: options.needed("--team-id"),
        keyID: options.needed("--key-id"),
        keyFile: options.needed("--key-file")
    )
    var configuration = APNSConfiguration(
        endpoint: try options.endpoint(),
        credentials: .token(source),
        bundleID: try options.needed("--bundle-id")
    )
    configuration.trust = options.trust
    return configuration
}

/// The outcome and what to do about it, in a line.
func describe(_ response: APNSResponse) -> String {
    let reason = response.reason?.rawValue ?? "no reason"
    let outcome = response.isAccepted ? "accepted" : "refused, \(response.status) \(reason)"
    return "\(response.apnsID): \(outcome); \(advice(response.action))"
}

func advice(_ action: APNSAction) -> String {
    switch action {
    case .done: "nothing to do"
    case .removeToken: "stop sending to this device token"
    case .checkToken: "look whether the device token is of this environment and app"
    case .fixNotification: "correct the notification"
    case .fixConfiguration: "correct the key, the ids or the topic"
    case .sendLater(let delay): "send it again in \(delay)"
    case .pause(let delay): "send nothing for \(delay)"
    }
}

func complain(_ text: String) {
    FileHandle.standardError.write(Data("send-notification: \(text)\n".utf8))
}
