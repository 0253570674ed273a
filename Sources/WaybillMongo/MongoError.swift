internal import CWaybillMongoC

/// What went wrong with the store.
///
/// The text never holds a document's values (a duplicate key error of the server repeats the key) nor a URL with
/// credentials.
package struct MongoError: Error, Hashable, Sendable, CustomStringConvertible {
    package enum Code: Hashable, Sendable {
        /// The connection string cannot be used.
        case invalidURL
        /// No server could be reached in time, or the connection broke.
        case unreachable
        /// All clients of the pool were in use for the whole waiting time.
        case poolExhausted
        /// The credentials were refused, or they do not allow the operation.
        case accessRefused
        /// The server gave up at the operation's time limit.
        case timeLimitExceeded
        /// A unique index has the key already.
        case duplicateKey
        /// The write was made, but not acknowledged as durable: make it again.
        case notDurable
        /// A document is larger than BSON or the server allows, or the driver refuses its form.
        case documentTooLarge
        /// An index exists with other keys or options.
        case indexConflict
        /// The server refused the command; see ``MongoError/nativeCode``.
        case commandFailed
    }

    package let code: Code
    /// What was tried, such as `insert into waybill.deliveries`.
    package let operation: String
    /// Why it failed, for the operator.
    package let reason: String
    /// The server's error code, or libmongoc's; 0 when the error is ours.
    ///
    /// Of ``Code/commandFailed`` the server's alone.
    package let nativeCode: UInt32
    /// Whether the server itself says that the same operation may succeed later.
    private let hasRetriableLabel: Bool

    package init(
        code: Code,
        operation: String,
        reason: String,
        nativeCode: UInt32 = 0,
        hasRetriableLabel: Bool = false
    ) {
        self.code = code
        self.operation = operation
        self.reason = reason
        self.nativeCode = nativeCode
        self.hasRetriableLabel = hasRetriableLabel
    }

    /// Whether the same operation may succeed later without anybody changing anything.
    package var isRetriable: Bool {
        switch code {
        case .unreachable, .poolExhausted, .timeLimitExceeded, .notDurable: true
        case .commandFailed:
            hasRetriableLabel || ServerCode.passing.contains(nativeCode) || ServerCode.busy.contains(nativeCode)
        case .invalidURL, .accessRefused, .duplicateKey, .documentTooLarge, .indexConflict: false
        }
    }

    /// Whether the server refuses this one command for its content: the same command fails again, and others succeed.
    ///
    /// False for an outage, which has no server code, a code that passes or a label that says so, and for what only the
    /// operator can cure, such as a missing right or a full disk: all these concern every command.
    package var isAboutTheQuery: Bool {
        switch code {
        case .duplicateKey, .documentTooLarge: true
        case .commandFailed: nativeCode != 0 && !isRetriable && !ServerCode.ofTheOperator.contains(nativeCode)
        case .invalidURL, .unreachable, .poolExhausted, .accessRefused, .timeLimitExceeded, .notDurable,
            .indexConflict:
            false
        }
    }

    /// Why a subject ends whose query the server refuses (``isAboutTheQuery``), as half a sentence in one line.
    package var refusal: String { "the store refuses the query \(inBrackets)" }

    /// Why no server could be asked, in our own words, which begin small and end without a full stop; `nil` where one has
    /// answered.
    package var silence: String? {
        guard code == .unreachable else { return nil }
        guard let end = reason.firstRange(of: " (No suitable") else {
            return reason.hasPrefix("No suitable") || nativeCode != 0
                ? "the connection broke, or no answer came in time" : reason
        }
        return String(reason[..<end.lowerBound])
    }

    /// What is wrong, for people who do not know the driver, in one line: a plain half sentence, with what the driver says in
    /// brackets where a server has answered.
    package var plain: String { silence ?? "\(half) \(inBrackets)" }

    /// What the driver says, in one line.
    package var inBrackets: String { "(\(description.replacing("\n", with: " ")))" }

    private var half: String {
        switch code {
        case .invalidURL: "the URL cannot be used"
        case .unreachable: "no answer came"
        case .poolExhausted: "all connections are in use"
        case .accessRefused: "the user is refused, or lacks a right"
        case .timeLimitExceeded: "an answer takes too long"
        case .notDurable: "most members of the replica set have not confirmed what was written"
        case .duplicateKey, .documentTooLarge, .indexConflict, .commandFailed: "the server refuses what it is asked"
        }
    }

    package var description: String {
        let beginning = operation.isEmpty ? "" : "\(operation): "
        return nativeCode == 0 ? "\(beginning)\(reason)" : "\(beginning)\(reason) (code \(nativeCode))"
    }
}

extension MongoError {
    /// Translates libmongoc's error, the only place that does.
    ///
    /// - Parameters:
    ///   - native: the error.
    ///   - operation: the attempted operation.
    ///   - reply: the server's answer, whose labels say whether the error passes; `nil` where it is not at hand.
    init(native: bson_error_t, operation: String, reply: BSONDocument? = nil) {
        let message = ServerText.withoutValues(Self.message(of: native))
        let code =
            ServerText.isOfMissingIndex(message) ? .indexConflict : Self.code(domain: native.domain, code: native.code)
        let isOfTheServer = mongoc_error_domain_t(rawValue: native.domain) == MONGOC_ERROR_SERVER
        self.init(
            code: code,
            operation: operation,
            reason: ServerText.explained(message, code),
            // libmongoc's own numbers mean other things than the server's: its 22 is a wrong argument.
            nativeCode: code == .commandFailed && !isOfTheServer ? 0 : native.code,
            hasRetriableLabel: (reply?["errorLabels"]?.elements ?? []).contains { label in
                label.string.map(Self.retriableLabels.contains) == true
            }
        )
    }

    /// Source: MongoDB specifications, "Retryable Writes", "Transactions" and "Client Backpressure".
    private static let retriableLabels: Set<String> = [
        "RetryableWriteError", "RetryableError", "SystemOverloadedError", "TransientTransactionError",
    ]

    private static func message(of native: bson_error_t) -> String {
        withUnsafeBytes(of: native.message) { bytes in
            String(decoding: bytes.prefix { $0 != 0 }, as: UTF8.self)
        }
    }

    private static func code(domain: UInt32, code: UInt32) -> Code {
        switch mongoc_error_domain_t(rawValue: domain) {
        case MONGOC_ERROR_POOL: .poolExhausted
        case MONGOC_ERROR_WRITE_CONCERN: .notDurable
        case MONGOC_ERROR_STREAM, MONGOC_ERROR_PROTOCOL, MONGOC_ERROR_SERVER_SELECTION: .unreachable
        case MONGOC_ERROR_SASL, MONGOC_ERROR_SCRAM: .accessRefused
        case MONGOC_ERROR_CLIENT where code == MONGOC_ERROR_CLIENT_AUTHENTICATE.rawValue: .accessRefused
        case MONGOC_ERROR_BSON: .documentTooLarge
        case MONGOC_ERROR_COMMAND where code == MONGOC_ERROR_COMMAND_INVALID_ARG.rawValue: .documentTooLarge
        // With version 2 of the error API all errors of the server are here, and no others.
        case MONGOC_ERROR_SERVER: ServerCode.meaning(of: code)
        default: .commandFailed
        }
    }
}

/// The server's error codes that Waybill tells apart.
///
/// Source: MongoDB manual, "Error Codes".
enum ServerCode {
    static let namespaceNotFound: UInt32 = 26
    static let duplicateKey: UInt32 = 11000

    /// Elections, shutdowns and lost connections between servers: another member answers soon.
    static let passing: Set<UInt32> = [
        6, 7, 63, 89, 91, 133, 134, 150, 189, 202, 216, 249, 281, 317, 355, 384, 391, 406, 407, 453, 471, 485, 488, 506,
        515, 516, 9001, 10107, 11600, 11602, 13388, 13435, 13436,
    ]

    /// Locks, conflicts, lost cursors and sessions, interruptions, too much load: the same operation succeeds a moment
    /// later.
    static let busy: Set<UInt32> = [
        8, 24, 43, 46, 82, 94, 112, 117, 175, 198, 206, 208, 210, 211, 215, 234, 237, 239, 246, 251, 261, 262, 276, 279,
        282, 290, 358, 363,
        365, 402, 412, 433, 449, 450, 462, 473, 11601, 12586, 12587, 46841,
    ]

    /// Rights, versions, settings, closed writes, disk, files and damaged data: until somebody changes something, every
    /// operation fails.
    static let ofTheOperator: Set<UInt32> = [
        11, 20, 26, 39, 59, 76, 115, 148, 214, 264, 291, 301, 322, 323, 324, 371, 411, 507, 8000, 14031,
    ]

    /// Of a read at one moment: the snapshot is too old, or not available.
    static let snapshotGone: Set<UInt32> = [239, 246]

    /// Of a change stream: the history is gone, or the place was never in it.
    static let historyLost: Set<UInt32> = [136, 260, 280, 286]

    static func meaning(of code: UInt32) -> MongoError.Code {
        switch code {
        case 13, 18: .accessRefused
        case 50: .timeLimitExceeded
        case 64, 100: .notDurable
        case 85, 86: .indexConflict
        case 17419, 17420, 10334: .documentTooLarge
        case duplicateKey: .duplicateKey
        default: .commandFailed
        }
    }
}

/// Messages of the server, made fit for a log.
enum ServerText {
    /// The words with a sentence in front, where they alone do not say what to look at.
    static func explained(_ text: String, _ code: MongoError.Code) -> String {
        switch code {
        case .unreachable where text.hasPrefix("No suitable servers"):
            "\(unsuitable(text)) (\(text))"
        case .accessRefused where text.hasPrefix("Authentication failed"):
            "the login is refused; compare user, password, and the database behind the hosts of the URL (\(text))"
        case .accessRefused: withoutCommand(text)
        case .indexConflict where isOfMissingIndex(text):
            "an index of this release is missing, or is being built; run: waybill init (\(text))"
        default: text
        }
    }

    /// Whether a query names an index that is not there.
    static func isOfMissingIndex(_ text: String) -> Bool {
        text.contains("hint provided does not correspond to an existing index")
    }

    /// Why no server was found, by what libmongoc says of those that it has tried, in brackets: nothing where they answer.
    private static func unsuitable(_ text: String) -> String {
        if text.contains("Failed to resolve") { return "a host of the URL is not known by that name" }
        if text.contains("socket error or timeout") || text.contains("connection timeout") {
            return "a server is there and does not answer: it hangs, is stopped, or speaks TLS where the URL does not"
        }
        if text.contains("Failed to connect") || text.contains("refused") {
            return "nobody listens at the hosts of the URL"
        }
        if text.contains("TLS") || text.contains("SSL") {
            return "TLS does not come about; compare the certificates, ca_file and the names in the URL"
        }
        return
            "no server is the primary that the URL wants: the replica set has none now, or replicaSet is another name"
    }

    /// Cuts a refused command to its name: the server repeats all of it, with session and signature.
    private static func withoutCommand(_ text: String) -> String {
        guard let command = text.firstRange(of: " to execute command { ") else { return text }
        return "\(text[..<command.lowerBound]) to execute \(text[command.upperBound...].prefix { $0 != ":" })"
    }

    /// Cuts what repeats a document's values: `E11000 … dup key: { device_token: "…" }`.
    static func withoutValues(_ text: String) -> String {
        // The planner repeats the whole query, with its tokens, in front of its reason.
        let planner = " planner returned error :: caused by :: "
        if text.hasPrefix("error processing query: "), let reason = text.ranges(of: planner).last {
            return String(text[reason.upperBound...])
        }
        for marker in [" dup key:", "found value:"] {
            if let range = text.firstRange(of: marker) { return String(text[..<range.lowerBound]) }
        }
        return text
    }
}
