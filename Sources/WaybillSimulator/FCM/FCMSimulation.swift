package import WaybillTLS

/// What a simulator is told that plays FCM in place of APNs: `POST /v1/projects/{p}/messages:send`, and `POST /token` for
/// the access tokens.
///
/// The numbers of HTTP/2 are those that clients have measured; Google documents none of them.
package struct FCMSimulation: Sendable {
    /// Who may buy access tokens.
    package var accounts: [FCMAccount]
    /// How long an access token holds, in seconds, and what `expires_in` says.
    package var tokenLifetime = 3599
    /// How the token endpoint says so.
    package var lifetimeForm = FCMLifetimeForm.number
    /// How far the clock of an assertion may be wrong, in seconds; Google's own tolerance is not documented.
    package var clockTolerance: Int64 = 300
    /// How errors are written, where the real service has been seen to write them in several ways.
    package var errorForm = FCMErrorForm.usual
    /// The messages that one registration token may get in any minute; `nil` for no limit.
    package var messagesPerMinuteAndDevice: Int? = 240
    /// The messages of one project in any minute; `nil` for no limit.
    package var messagesPerMinute: Int? = 600_000
    /// How long a connection may have no stream open before its end: GOAWAY `session_timed_out`.
    package var idleTimeout = Duration.seconds(240)
    /// How long a connection may live: GOAWAY `max_age`.
    package var maximumAge = Duration.seconds(3600)
    /// How long the announcement of that end stands before the end: both GOAWAYs say `max_age`.
    package var drainTime = Duration.milliseconds(100)
    /// Whether a PING follows the end of a stream.
    package var pingsAfterStreams = true
    /// How many PINGs without a request between them a client may send; one more ends the connection: GOAWAY with
    /// ENHANCE_YOUR_CALM and `too_many_pings`.
    package var pingsBetweenRequests = 2
    /// The concurrent streams of a connection.
    package var streamLimit = 100

    package init(accounts: [FCMAccount]) {
        self.accounts = accounts
    }
}

/// A service account as the simulator knows it.
package struct FCMAccount: Sendable {
    /// The assertion's `iss`.
    package let clientEmail: String
    /// The assertion's `kid`.
    package let keyID: String
    /// The projects that it may send to; each one exists, and has the API enabled.
    package let projects: Set<String>
    /// Checks the signatures.
    package let publicKey: RS256PublicKey

    package init(clientEmail: String, keyID: String, projects: Set<String>, publicKey: RS256PublicKey) {
        self.clientEmail = clientEmail
        self.keyID = keyID
        self.projects = projects
        self.publicKey = publicKey
    }

    /// Reads a service account's key file, as the client has it: only the public half of its key is used.
    package init(keyFile: String) throws(SimulatorError) {
        let file: JSONValue
        do {
            file = try JSONParser.parse(TextFile.read(keyFile))
        } catch {
            throw SimulatorError("\(keyFile): \(error)")
        }
        guard case .string(let clientEmail) = file["client_email"], case .string(let keyID) = file["private_key_id"],
            case .string(let project) = file["project_id"], case .string(let pem) = file["private_key"]
        else {
            throw SimulatorError(
                "\(keyFile): needs the texts client_email, private_key_id, project_id and private_key"
            )
        }
        do {
            let key = try RS256PrivateKey(pem: Array(pem.utf8))
            self.init(clientEmail: clientEmail, keyID: keyID, projects: [project], publicKey: key.publicKey)
        } catch {
            throw SimulatorError("\(keyFile): private_key: \(error)")
        }
    }
}

/// How much an error's body says.
package enum FCMErrorForm: String, CaseIterable, Sendable {
    /// With `details`, FcmError first.
    case usual
    /// With `details`, FcmError last.
    case reversed
    /// Without `details`.
    case bare
}

/// How the token endpoint writes `expires_in`.
package enum FCMLifetimeForm: String, CaseIterable, Sendable {
    /// As Google does.
    case number
    /// As some token endpoints do.
    case text
    /// Not at all: whoever buys takes an hour for granted.
    case absent
}
