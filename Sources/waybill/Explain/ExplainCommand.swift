import ArgumentParser
import Foundation
import WaybillCore
import WaybillDeliveryLog
import WaybillDispatcher
import WaybillEncoding
import WaybillMongo
import WaybillNotifications
import WaybillOperations
import WaybillSettings

/// `waybill explain`: why a push did not arrive, and what became of a batch.
struct ExplainCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "explain",
        abstract: "Explain what became of a device's pushes, of one notification, or of a batch.",
        discussion: """
            Examples:
              waybill explain 019a4f2e-7c10-8a31-9a3b-5d8c4e000007  by its apns-id
              waybill explain campaign-42          how a batch ended, and why
              waybill explain - < token.txt        one device, by its token
              waybill explain campaign-42 --json | jq .failures

            An apns-id is a UUID, 64 or more hexadecimal digits are a device token, and so is what looks like one of FCM, by standard \
            input or a file all that has a colon and no blank; everything else is a batch's name; \
            --as says otherwise, and what looks like a mistyped token is taken for a batch with it alone. Other users of the \
            machine see what is on a command line: give a token by standard input (-) or --file.
            """
                + ExitStatus.help(
                    ExitStatus.ofServers + [.badInput, .noInput],
                    done: "found",
                    own: [
                        .noInput: "nothing found",
                        .temporary: "nothing found; another process holds the rejected queue",
                    ]
                )
    )

    enum Form: String, CaseIterable, ExpressibleByArgument {
        case token
        case apnsID = "apns-id"
        case batch
    }

    @Argument(help: ArgumentHelp("A device token, an apns-id or a batch_id; - for standard input.", valueName: "what"))
    var what: String?

    @Option(help: ArgumentHelp("Read it from a file.", valueName: "file"))
    var file: String?

    @Option(name: .customLong("as"), help: "What it is, if its form does not tell.")
    var form: Form?

    @Flag(help: "Write one JSON object.")
    var json = false

    @OptionGroup var settings: ConfigurationOptions

    func validate() throws {
        guard (what == nil) != (file == nil) else {
            throw ValidationError("Give a token, an apns-id or a batch, or a file that holds one with '--file'.")
        }
    }

    func run() throws {
        let sections = try settings.load(for: .logs)
        let store = try ConfigurationOptions.present(sections.store)
        try reportingFailures(of: "explain") {
            let subject = try subject()
            // Nothing is written here: how long records are kept is the dispatcher's business.
            let options = try store.makeLogOptions(retention: RetentionPolicy(default: .keep))
            let pool = try store.pool(for: "explain", clients: 1 + BatchHelpers.threads)
            var isHeldElsewhere = false
            let (isFound, clients) = try pool.withClient { (client) throws(MongoError) in
                let helpers = BatchHelpers(pool: pool)
                return try explain(
                    subject,
                    DeliveryInvestigation(
                        client: client,
                        options: options,
                        scope: .all,
                        helpers: helpers,
                        retry: sections.retry,
                        owners: PostedClients(sections),
                        rejections: {
                            let look = rejections(sections.retry)
                            isHeldElsewhere = look.isHeldElsewhere
                            return look
                        }
                    )
                )
            }
            for client in clients.sortedTexts {
                guard let words = ClientWords.unnamed(client, sections.retention) else { continue }
                Terminal.say("waybill explain: \(Cell.printable(words))")
            }
            guard isFound else { throw (isHeldElsewhere ? ExitStatus.temporary : .noInput).exit }
        }
    }

    /// - Returns: whether anything was found, and whose it is.
    private func explain(
        _ subject: InvestigationSubject,
        _ investigation: DeliveryInvestigation
    ) throws(MongoError) -> (isFound: Bool, clients: Set<ExactName>) {
        let screen = Screen.output
        let text = ExplainText(width: screen.pageWidth, clipsMessages: screen.isTerminal, palette: screen.palette)
        switch subject {
        case .notification(let id):
            let stories = try investigation.notification(id)
            show(json: stories.json(), text.lines(stories))
            return (
                !stories.notifications.isEmpty || stories.batch != nil,
                Set(
                    exactly: stories.notifications.compactMap(\.record.client)
                        + (stories.batch?.groups ?? []).compactMap(\.client)
                )
            )
        case .token(let token):
            let story = try investigation.token(token)
            show(json: story.json(), text.lines(story))
            return (!story.notifications.isEmpty, Set(exactly: story.notifications.compactMap(\.record.client)))
        case .batch(let name):
            let story = try investigation.batch(name)
            show(json: story.json(), text.lines(story))
            return (
                !story.groups.isEmpty || !story.rejected.isEmpty || story.isPosted,
                Set(exactly: story.groups.compactMap(\.client))
            )
        }
    }

    /// What lies in the rejected queue, or why this user does not see it: what it holds of a batch has no record.
    private func rejections(_ retry: RetryPolicy) -> RejectedGlance.Outcome {
        guard let loaded = try? settings.read(for: .rejected) else {
            return .failure(RejectedGlance.Failure("the configuration cannot be read"))
        }
        guard let broker = loaded.sections?.broker else {
            let finding = loaded.findings.first { $0.severity == .error }
            let words = finding.map { "\($0.place): \($0.message)" }
            return .failure(RejectedGlance.Failure(words ?? "the configuration names no broker"))
        }
        return RejectedGlance.look(broker, retry: retry)
    }

    private func show(json object: String, _ lines: [String]) {
        if json { return Output.json(object) }
        for line in lines { Output.line(line) }
    }

    private func subject() throws -> InvestigationSubject {
        let text = try text().trimmingCharacters(in: .whitespacesAndNewlines)
        switch form {
        case nil:
            guard let subject = InvestigationSubject(recognising: text, mayBeShort: isHidden) else {
                throw CommandFailure(.badInput, "there is nothing to look for")
            }
            if case .batch = subject, let tail = InvestigationSubject.tailOfMistypedToken(text) {
                throw CommandFailure(
                    .badInput,
                    """
                    that is not a token and not an apns-id, but may be a mistyped token (…\(tail)): a token is 64 or more \
                    hexadecimal digits, an even number, and nothing else; --as batch takes it for a batch's name
                    """
                )
            }
            return subject
        case .token:
            if let token = InvestigationSubject.token(text) { return .token(token) }
            throw CommandFailure(.badInput, InvestigationSubject.tokenForm)
        case .apnsID:
            if let id = NotificationID(text) { return .notification(id) }
            throw CommandFailure(.badInput, "an apns-id is a UUID, 8-4-4-4-12 hexadecimal digits")
        case .batch:
            guard !text.isEmpty else { throw CommandFailure(.badInput, "a batch's name is not empty") }
            return .batch(text)
        }
    }

    /// Whether it is on no command line, as is asked of tokens.
    private var isHidden: Bool { file != nil || what == "-" }

    private func text() throws -> String {
        if let file { return try SingleLine.ofFile(file) }
        return what == "-" ? try SingleLine.ofStandardInput() : what ?? ""
    }
}
