package import WaybillOutbox

/// What the worker needs to know.
package struct HooksSettings: Sendable {
    package var database: String
    package var sender: MailSender
    package var carrier: MailCarrier
    /// How long a mail that was taken is nobody else's; longer than handing it over can take.
    package var lease = Duration.seconds(120)

    package init(database: String, sender: MailSender, carrier: MailCarrier) {
        self.database = database
        self.sender = sender
        self.carrier = carrier
    }
}
