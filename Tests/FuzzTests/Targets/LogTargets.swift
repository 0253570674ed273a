import ArgumentParser
import WaybillCore
import WaybillDeliveryLog
import WaybillEncoding
import WaybillSettings

@testable import WaybillMongo
@testable import waybill

extension FuzzTarget {
    /// The arguments of `waybill logs`, one on a line, and every form of time and duration.
    static let logArguments = FuzzTarget("log-arguments", dictionary: "arguments") { bytes in
        let text = String(decoding: bytes, as: UTF8.self)
        if let filters = try? LogFilters.parse(text.split(separator: "\n").map(String.init)) {
            _ = filters.query(limit: 1)
        }
        for line in text.split(separator: "\n", omittingEmptySubsequences: false).map(String.init) {
            try checkTime(line)
            try checkDuration(line)
        }
    }

    private static func checkTime(_ text: String) throws {
        let now: Int64 = 1_795_233_600_000
        guard let time = TimeText.parse(text, now: now) else { return }
        let written = TimeText.text(milliseconds: time)
        // Four digits of a year are all that can be read again: from the year 0 to the year 9999.
        guard time >= -62_167_219_200_000, written.utf8.count == 24 else { return }
        try require(TimeText.parse(written, now: now) == time, "\(written) is another time")
    }

    private static func checkDuration(_ text: String) throws {
        guard let duration = DurationText.parse(text) else { return }
        try require(duration >= .zero, "a negative duration")
        let written = DurationText.text(duration)
        // Nine digits are all that is read; weeks are written as days.
        guard written.utf8.count <= 10 else { return }
        try require(DurationText.parse(written) == duration, "\(written) is another duration")
    }

    /// A record as the store gives it back, shown in every way.
    static let deliveryDocument = FuzzTarget("delivery-document", dictionary: "bson") { bytes in
        guard isFramed(bytes) else { return }
        let delivery = LoggedDelivery(document: BSONDocument(bytes: bytes))
        try require(!DeliveryJSON.line(delivery).contains("\n"), "a line break in a line of JSON")
        _ = DeliveryExplanation.text(delivery, provider: "APNs", advice: delivery.reason)
        for isColoured in [false, true] {
            let palette = Palette(isColoured: isColoured)
            var lines = DeliveryStory(width: 60, clipsMessages: isColoured, palette: palette).lines([
                delivery, delivery,
            ])
            lines += DeliveryTable(width: isColoured ? 80 : nil, palette: palette).lines([delivery])
            // A terminal obeys what begins with an escape character.
            let isSafe = lines.allSatisfy { line in
                line.unicodeScalars.allSatisfy {
                    $0.value >= 0x20 && $0.value != 0x7F || isColoured && $0.value == 0x1B
                }
            }
            try require(isSafe, "a control character on the terminal")
        }
    }

    /// What libmongoc guarantees of a document in an answer: the length in front and the zero byte behind.
    private static func isFramed(_ bytes: [UInt8]) -> Bool {
        guard bytes.count >= 5, bytes.last == 0 else { return false }
        return bytes.prefix(4).enumerated().reduce(0) { $0 | Int($1.element) << (8 * $1.offset) } == bytes.count
    }
}
