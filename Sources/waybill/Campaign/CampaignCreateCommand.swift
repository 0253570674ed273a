import ArgumentParser
import Foundation
import WaybillAudience
import WaybillMessages
import WaybillNotifications
import WaybillOperations
import WaybillSettings
import WaybillThreads

/// `waybill campaign create`.
struct CampaignCreateCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "create",
        abstract: "Prepare a campaign; nothing is sent.",
        discussion: """
            Examples:
              waybill campaign create autumn --app com.example.parcels --title "Autumn" --body "New colours"
              waybill campaign create news-7 --app com.example.parcels --body "News" --locale de --at 2026-12-24T16:00:00Z
              waybill campaign create late --app com.example.parcels --body "News" --at 2h --quiet 22:00-08:00

            With --local-at each device is told when its own clock shows the time; one that the clock skips, as when summer \
            time begins, counts as the first moment after it, and of one that comes twice the earlier counts. \
            With --at, a start that is up to a minute late is in time.
            """ + ExitStatus.help(ExitStatus.ofServers + [.badInput])
    )

    @Argument(help: ArgumentHelp("The campaign's name.", valueName: "name"))
    var name: String

    @Option(help: ArgumentHelp("Whose it is; by default schedule.client.", valueName: "client"))
    var client: String?

    @Option(help: ArgumentHelp("The first line on the screen.", valueName: "text"))
    var title: String?

    @Option(help: ArgumentHelp("The second.", valueName: "text"))
    var subtitle: String?

    @Option(help: ArgumentHelp("The text.", valueName: "text"))
    var body: String

    @Option(help: ArgumentHelp("Which actions the app offers with it.", valueName: "category"))
    var category: String?

    @Option(help: ArgumentHelp("info, warning or error.", valueName: "level"))
    var level: String?

    @Option(
        help: ArgumentHelp(
            "When it begins: a time with Z or an offset, or 2h for in two hours; else when it is started. See --passed-now.",
            valueName: "time"
        )
    )
    var at: String?

    @Option(help: ArgumentHelp("When the devices' own clocks show it: 2026-12-24T18:00.", valueName: "time"))
    var localAt: String?

    @Option(help: ArgumentHelp("The time zone of devices whose own is not known.", valueName: "zone"))
    var zone = "UTC"

    @Flag(
        help:
            "Tell devices at once for which the time of --at or --local-at has passed at the start; else they are left out."
    )
    var passedNow = false

    @Option(
        help: ArgumentHelp(
            "Hours of the devices' own clocks in which it waits for their end: 22:00-08:00; the level error passes them.",
            valueName: "hours"
        )
    )
    var quiet: String?

    @Option(
        help: ArgumentHelp("After that nothing is sent any more: a time with Z or an offset, or 2d.", valueName: "time")
    )
    var expiresAt: String?

    @Option(help: ArgumentHelp("How many are handed over a minute at most, all parts together.", valueName: "number"))
    var perMinute: Int?

    @OptionGroup(title: "Devices") var filters: AudienceFilters

    @OptionGroup var settings: ConfigurationOptions

    func validate() throws {
        _ = try filters.selection()
        guard at == nil || localAt == nil else { throw ValidationError("Give '--at' or '--local-at', not both.") }
        guard TimeZone(identifier: zone) != nil else {
            throw ValidationError("'\(zone)' is no time zone; use a name such as Europe/Vienna.")
        }
        if let perMinute, !AudienceLimits.perMinute.contains(perMinute) {
            let range = AudienceLimits.perMinute
            throw ValidationError("'--per-minute' must be \(range.lowerBound) to \(range.upperBound).")
        }
        _ = try timing()
    }

    func run() throws {
        let sections = try settings.load(for: .campaign)
        let now = WallClock.milliseconds()
        let owner = client ?? sections.schedule.client
        let campaign = Campaign(
            name: name,
            client: owner,
            content: try content(),
            timing: try timing(),
            createdAt: now,
            createdBy: StoreCommand.author
        )
        let rules = PostedRules(sections)
        do throws(PostedRefusal) {
            // Whether fan-out would take it, before anybody counts on it.
            try rules.examineDraft(campaign, now: now)
        } catch {
            try reportingFailures(of: "campaign") { throw CommandFailure(.badInput, "\(error)") }
        }
        let store = try ConfigurationOptions.present(sections.store)
        try StoreCommand.run(store, for: .campaign) { client, database in
            let reader = AudienceReader(client: client, database: database)
            if let refusal = try rules.unknownApp(of: campaign, reader) {
                throw CommandFailure(.badInput, "\(refusal)")
            }
            let scope = CampaignStore.Scope(clients: nil, unnamed: sections.schedule.client)
            guard try CampaignStore(client: client, database: database, scope: scope).create(campaign) else {
                throw CommandFailure(
                    .badInput,
                    "there is a campaign \(Cell.printable(name)) of \(Cell.printable(owner)) already"
                )
            }
        }
        if campaign.timing.quiet != nil, campaign.passesQuietHours {
            Terminal.say("waybill campaign: the level error passes quiet hours, so that nobody waits for their end")
        }
        if let words = ClientWords.unnamed(owner, sections.retention) {
            let remedy = client == nil ? "; say whose it is with --client, or name that one in retention.clients" : ""
            Terminal.say("waybill campaign: \(Cell.printable(words + remedy))")
        }
        let whose = client.map { ["--client", $0] } ?? []
        let words = ["waybill", "campaign", "preview", name] + whose + settings.arguments
        let preview = words.map(ShellWord.quoted).joined(separator: " ")
        Terminal.say("waybill campaign: \(Cell.printable(name)) is a draft; look at it with: \(preview)")
    }

    private func timing() throws -> CampaignTiming {
        var timing = CampaignTiming(start: .now, zone: zone, passed: passedNow ? .now : .skip)
        if let at { timing.start = .at(try CampaignTime.read(at, "--at")) }
        if let localAt {
            guard let local = LocalTime(localAt) else {
                throw ValidationError("'\(localAt)' for '--local-at' must be a time such as 2026-12-24T18:00.")
            }
            timing.start = .local(local)
        }
        if let quiet {
            guard let hours = QuietHours(quiet) else {
                throw ValidationError("'\(quiet)' for '--quiet' must be hours such as 22:00-08:00.")
            }
            timing.quiet = hours
        }
        return timing
    }

    private func content() throws -> CampaignContent {
        var content = CampaignContent(body: body, selection: try filters.selection())
        content.title = title
        content.subtitle = subtitle
        content.category = category
        content.level = level
        content.perMinute = perMinute
        content.expiresAt = try expiresAt.map { try CampaignTime.read($0, "--expires-at") }
        return content
    }
}

/// Times as people type them.
enum CampaignTime {
    static func read(_ text: String, _ option: String) throws -> Int64 {
        do {
            return try AudienceSendCommand.time(text)
        } catch {
            let local = option == "--at" ? " A time on the devices' own clocks goes with '--local-at'." : ""
            throw ValidationError(
                "'\(text)' for '\(option)' must be a time with Z or an offset, such as 2026-12-24T16:00:00Z, or 2h.\(local)"
            )
        }
    }
}
