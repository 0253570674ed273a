package import WaybillOutbox
package import WaybillSettings

/// What the workers need to know.
package struct HooksSettings: Sendable {
    /// How mail goes out.
    package struct Mail: Sendable {
        package var sender: MailSender
        package var carrier: MailCarrier
        /// How long a mail that was taken is nobody else's; longer than handing it over can take.
        package var lease = Duration.seconds(120)

        package init(sender: MailSender, carrier: MailCarrier) {
            self.sender = sender
            self.carrier = carrier
        }
    }

    /// How webhooks go out.
    package struct Webhooks: Sendable {
        /// Whether `http` endpoints are told anything.
        package var allowsPlain: Bool
        /// Networks that may be reached though they are nobody's outside.
        package var allowed: [IPRange]
        /// The same for endpoints of people's services.
        package var allowedOfServices: [IPRange]
        /// PEM file with the authorities; `nil` means the system's.
        package var caFile: String?
        /// Whether the log holds device tokens as they are sent.
        package var hasPlainTokens: Bool
        /// Whether endpoints are told what devices say.
        package var tellsOfReceipts: Bool
        /// For one attempt.
        package var timeLimit = Duration.seconds(15)

        /// What an endpoint may lead to: people's services have no part in what clients may reach.
        func reachable(for owner: WebhookOwner) -> ReachableAddress {
            ReachableAddress(allowed: owner.serviceID == nil ? allowed : allowedOfServices)
        }

        /// Whether an endpoint is told over connections that others have opened, and others over its own.
        ///
        /// A host that clients may reach and services may not is one host to libcurl, which asks for no address while it has a
        /// connection there.
        func sharesConnections(for owner: WebhookOwner) -> Bool { owner.serviceID == nil }

        /// Whether an endpoint may be told without TLS.
        func allowsPlain(for owner: WebhookOwner) -> Bool { allowsPlain && owner.serviceID == nil }

        package init(
            allowsPlain: Bool = false,
            allowed: [IPRange] = [],
            allowedOfServices: [IPRange] = [],
            caFile: String? = nil,
            hasPlainTokens: Bool = true,
            tellsOfReceipts: Bool = false
        ) {
            self.allowsPlain = allowsPlain
            self.allowed = allowed
            self.allowedOfServices = allowedOfServices
            self.caFile = caFile
            self.hasPlainTokens = hasPlainTokens
            self.tellsOfReceipts = tellsOfReceipts
        }
    }

    package var database: String
    /// `nil`: no mail is sent from here.
    package var mail: Mail?
    /// `nil`: nobody is told anything from here.
    package var webhooks: Webhooks?

    package init(database: String, mail: Mail? = nil, webhooks: Webhooks? = nil) {
        self.database = database
        self.mail = mail
        self.webhooks = webhooks
    }
}
