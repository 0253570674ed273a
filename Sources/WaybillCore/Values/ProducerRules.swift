package import WaybillEncoding

/// Who may send as whom (`producers` of the configuration).
package struct ProducerRules: Hashable, Sendable {
    /// What one user of the broker may send; an absent list allows all.
    package struct Rights: Hashable, Sendable {
        package var clients: Set<ExactName>?
        package var lanes: Set<ExactName>?
        /// Kinds of push (``Notification/kind``).
        package var kinds: Set<ExactName>?

        package init(clients: Set<ExactName>? = nil, lanes: Set<ExactName>? = nil, kinds: Set<ExactName>? = nil) {
            self.clients = clients
            self.lanes = lanes
            self.kinds = kinds
        }
    }

    /// What is known of a message's sender before the body is read.
    package struct Sender: Hashable, Sendable {
        /// The user that the broker has validated; `nil` if the message names none.
        package var user: String?
        package var hasMessageID: Bool
        package var hasTimestamp: Bool

        package init(user: String?, hasMessageID: Bool, hasTimestamp: Bool) {
            self.user = user
            self.hasMessageID = hasMessageID
            self.hasTimestamp = hasTimestamp
        }
    }

    /// What a message that is let through is still held to.
    package enum Admission: Hashable, Sendable {
        /// The kinds of its items must be among these, if there are any.
        case known(kinds: Set<ExactName>?)
        /// Nobody knows the sender, and nobody asks: it is counted.
        case unknown
    }

    /// Whether a message of nobody known is refused, and `message-id` and `timestamp` must be there.
    package var isStrict: Bool
    package var users: [ExactName: Rights]

    package init(isStrict: Bool, users: [ExactName: Rights]) {
        self.isStrict = isStrict
        self.users = users
    }
}
