import ArgumentParser
import Foundation
import WaybillCore
import WaybillDeviceRegistry

/// Which devices a command is about.
struct DeviceFilters: ParsableArguments {
    @Option(help: ArgumentHelp("Only this device token, whole; - reads it from standard input.", valueName: "token"))
    var token: String?

    @Option(
        help: ArgumentHelp(
            "Only devices of this app: its bundle id, or its project at FCM; repeatable.",
            valueName: "app"
        )
    )
    var app: [String] = []

    @Option(help: ArgumentHelp("Only devices of this user.", valueName: "user"))
    var user: String?

    @Option(help: ArgumentHelp("Only tokens of this device, by the app's own id of it.", valueName: "id"))
    var device: String?

    @Option(help: ArgumentHelp("Only devices with this tag; of several, with all.", valueName: "tag"))
    var tag: [String] = []

    @Option(
        help: ArgumentHelp("Only devices of this locale or of one of its regions; repeatable.", valueName: "locale")
    )
    var locale: [String] = []

    @Option(
        help: ArgumentHelp("Only devices in this time zone, such as Europe/Vienna; repeatable.", valueName: "zone")
    )
    var timeZone: [String] = []

    @Option(help: ArgumentHelp("Only devices with this version of the app and no other.", valueName: "version"))
    var appVersion: String?

    @Option(
        help: ArgumentHelp("Only devices with this version of the app or a later one.", valueName: "version"),
        transform: AudienceFilters.version
    )
    var versionFrom: [Int]?

    @Option(
        help: ArgumentHelp("Only devices with an earlier version of the app.", valueName: "version"),
        transform: AudienceFilters.version
    )
    var versionBelow: [Int]?

    @Option(
        help: ArgumentHelp("Only devices seen (or registered) since then: 30d, or a date.", valueName: "time"),
        transform: GivenTime.init
    )
    var seenSince: GivenTime?

    @Option(
        help: ArgumentHelp("Only devices last seen (or registered) before: the same forms.", valueName: "time"),
        transform: GivenTime.init
    )
    var seenBefore: GivenTime?

    @Flag(help: "Only devices that may be pushed to.")
    var enabled = false

    @Flag(help: "Only tokens that are disabled.")
    var disabled = false

    @Flag(help: "Only tokens that are suspected.")
    var suspected = false

    func validate() throws {
        _ = try AudienceFilters.locales(locale)
        if enabled, disabled { throw ValidationError("'--enabled' and '--disabled' exclude each other.") }
        if appVersion != nil, versionFrom != nil || versionBelow != nil {
            throw ValidationError(
                "'--app-version' is one version; with '--version-from' and '--version-below' leave it out."
            )
        }
    }

    /// - Throws: ``CommandFailure`` for what can be no token.
    func query() throws -> DeviceQuery {
        var query = DeviceQuery(
            token: try token.map { Array(try DeviceTokenInput.token($0).utf8) },
            user: user,
            device: device,
            isEnabled: enabled ? true : disabled ? false : nil,
            isSuspected: suspected
        )
        query.apps = app
        query.tags = tag
        query.locales = try AudienceFilters.locales(locale)
        query.timeZones = TimeZoneName.canonical(all: timeZone)
        query.appVersion = appVersion
        query.versionFrom = versionFrom
        query.versionBelow = versionBelow
        query.heardSince = seenSince?.milliseconds
        query.heardBefore = seenBefore?.milliseconds
        return query
    }
}

/// A device token that somebody has typed, or that stands on standard input, so that nobody else sees it.
enum DeviceTokenInput {
    /// - Parameter text: the token; `-` for the line of standard input.
    /// - Returns: the text, without white space around it.
    /// - Throws: `ValidationError` for more than one line.
    static func text(_ text: String) throws -> String {
        (text == "-" ? try SingleLine.ofStandardInput() : text).trimmingCharacters(in: .whitespaces)
    }

    /// - Returns: the token of any push service, as the registry holds it.
    /// - Throws: ``CommandFailure`` for what can be no token, `ValidationError` for more than one line.
    static func token(_ text: String) throws -> String {
        let token = try Self.text(text)
        // What is hexadecimal alone is Apple's: FCM's tokens have a colon.
        for provider in DeviceProvider.allCases {
            if let token = provider.token(token, kind: .token) { return token }
        }
        throw CommandFailure(.badInput, "that is no device token")
    }
}
