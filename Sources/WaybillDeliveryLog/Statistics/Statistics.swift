/// The collection of the statistics, and the fields of its documents.
///
/// Four kinds stand in it: what one writer has counted of a minute, what has been recounted of one (its head), the sums of
/// hours and days, and what writers and the recount say of themselves.
enum Statistics {
    static let collection = "statistics"

    enum Field {
        static let id: StaticString = "_id"
        /// When the minute begins.
        static let minute: StaticString = "minute"
        static let basis: StaticString = "basis"
        static let state: StaticString = "state"
        /// Who counts.
        static let writer: StaticString = "writer"
        /// How often its writer has written it.
        static let flushes: StaticString = "flushes"
        /// True while something is left to do: the document is open or in doubt, or hides others.
        static let unresolved: StaticString = "unresolved"
        static let cells: StaticString = "cells"
        static let topics: StaticString = "cells.topic"
        /// Of a minute: true until the sum of its hour has it.
        static let unsummed: StaticString = "unsummed"
        /// Of a sum: of which period.
        static let level: StaticString = "level"
        /// Of a sum: when the hour or day begins.
        static let start: StaticString = "start"
        /// Of a sum: whether what it is made of may be gone, so that it is made no more.
        static let sealed: StaticString = "sealed"
        /// Of an hour's sum: whether its day's sum has it as it is.
        static let summed: StaticString = "summed"
        /// Of a head: how often the minute was recounted; of a sum: how often it was made.
        static let version: StaticString = "version"
        /// Of a head: the documents that it stands for, by id, until they are marked themselves.
        static let replaces: StaticString = "replaces"
        /// When a head or a sum was written, or a writer or the recount was last there, by the store's clock.
        static let seen: StaticString = "seen"
        /// Of a writer: how often it writes, in milliseconds.
        static let interval: StaticString = "interval"
        /// Of the recount: who does it.
        static let holder: StaticString = "holder"
        static let expiresAt: StaticString = "expires_at"
    }

    /// Fields of a cell.
    enum Cell {
        /// Of the outcomes; in a sum, the beginning of their hour or day.
        static let minute: StaticString = "at"
        static let outcome: StaticString = "outcome"
        static let client: StaticString = "client"
        static let lane: StaticString = "lane"
        static let topic: StaticString = "topic"
        static let pushType: StaticString = "push_type"
        static let reason: StaticString = "reason"
        static let count: StaticString = "count"
        /// A document with a count for each class of latency that occurs, named by its number.
        static let latency: StaticString = "latency"
    }

    /// What is to be thought of a document's counts.
    enum State: String {
        /// Running totals, of a writer that goes on.
        case open
        /// Exact.
        case closed
        /// Its writer does not know what it has written.
        case doubtful
        /// Its writer was not seen for long, and whatever it writes from then on is not believed.
        case taken
        /// A head stands for it.
        case replaced
        /// Cannot be recounted: records of the minute may be gone by now.
        case frozen
    }

    /// What the id of a head ends in.
    static func head(of minute: StatisticsMinute) -> String { "\(minute.name)/recount" }
    static func presence(of writer: String) -> String { "writer/\(writer)" }
    static let lease = "recount"
}
