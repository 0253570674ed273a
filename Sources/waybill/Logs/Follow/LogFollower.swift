import Glibc
import WaybillCore
import WaybillDeliveryLog
import WaybillMongo

/// `waybill logs --follow`: records as they are written, as many as somebody can read.
struct LogFollower {
    /// How many lines a second a terminal gets; a pipe gets every record.
    private static let mostLines = 40
    private static let second = Duration.seconds(1)
    /// How long to wait before a store that is away is asked again.
    private static let pauseMicroseconds: UInt32 = 1_000_000

    let tail: DeliveryTail
    /// Ends after so many records; `nil` for never.
    let limit: Int?
    let json: Bool
    let screen: Screen

    /// Shows records until a signal comes, or there are enough.
    ///
    /// - Throws: what cannot pass by itself, such as a right that is missing, or a reader that has gone away.
    func run() throws {
        var left = limit ?? .max
        while left > 0, !Interruption.isAsked {
            do {
                let most = min(left, screen.isTerminal ? Self.mostLines : .max)
                let batch = try tail.next(showing: most, isLast: most == left, within: Self.second)
                if batch.hasGap {
                    Terminal.say(
                        "waybill logs: the store has forgotten where this was; records are missing before the next"
                    )
                }
                for record in batch.records { show(record) }
                // Whoever reads a pipe is to have each record as soon as it is there.
                if !batch.records.isEmpty { try Output.flush() }
                left -= batch.records.count
                if batch.matched > batch.records.count {
                    Terminal.say("waybill logs: \(batch.records.count) of \(batch.matched) shown")
                }
            } catch let error as MongoError where error.isRetriable {
                Terminal.say("waybill logs: \(error); trying again")
                usleep(Self.pauseMicroseconds)
            }
        }
        if let position = tail.position {
            Terminal.say("waybill logs: to go on from here, the same with --cursor \(position)")
        }
    }

    private func show(_ record: LoggedDelivery) {
        guard !json else { return Output.json(DeliveryJSON.line(record)) }
        Output.line(FollowedLine.text(record, width: screen.width, palette: screen.palette))
    }
}

/// A record as one line among others that are not known yet, so that nothing can be aligned by them.
enum FollowedLine {
    private static let outcomeWidth = "token_invalid".count

    /// - Parameters:
    ///   - record: what to show.
    ///   - width: columns; `nil` cuts nothing, and leaves out nothing that whoever reads the line later needs.
    ///   - palette: colours the outcome.
    /// - Returns: time, outcome, answer, token, lane, batch and message; without a width the date before the time, and the apns-id
    ///   behind the outcome.
    static func text(_ record: LoggedDelivery, width: Int?, palette: Palette) -> String {
        let date = DeliveryClock.text(record.date)
        // At a terminal somebody looks on, and knows the day.
        let time = width == nil ? date : String(date.dropFirst(11))
        let outcome = Cell.padded(Cell.printable(record.outcome), to: outcomeWidth)
        let token = width == nil ? record.deviceToken ?? "" : Cell.shortened(record.deviceToken ?? "", to: 9)
        let rest = [
            width == nil ? record.id?.description : nil, record.statusCode.map { "\($0)" }, record.reason, token,
            record.lane, record.batchID, record.message,
        ].compactMap(\.self).filter { !$0.isEmpty }.map(Cell.whole).joined(separator: "  ")
        let line = "\(time)  \(outcome)  \(rest)"
        let clipped = width.map { Cell.clipped(line, to: $0) } ?? line
        // What is clipped is behind the outcome.
        guard clipped.hasPrefix("\(time)  \(outcome)") else { return clipped }
        return "\(time)  \(palette.outcome(record.outcome, text: outcome))"
            + clipped.dropFirst("\(time)  \(outcome)".count)
    }
}
