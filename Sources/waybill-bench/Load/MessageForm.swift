import ArgumentParser

/// The three forms of a dispatch message.
enum MessageForm: String, CaseIterable, ExpressibleByArgument {
    /// A bare array of notifications; the batch is named by the AMQP message id.
    case array
    /// Notifications inside an envelope that names the batch.
    case envelope
    /// One payload for many device tokens.
    case campaign
}

/// How a notification says what to show.
enum MessageContent: String, CaseIterable, ExpressibleByArgument {
    /// A complete payload, which passes byte for byte.
    case payload
    /// A text, which the dispatcher makes a payload of.
    case message
}
