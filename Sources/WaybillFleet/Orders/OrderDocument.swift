import WaybillCore
import WaybillEncoding
import WaybillMongo

/// An order as it stands in the store, read exactly: each field is one that orders of its kind have, and of the type that it has there.
///
/// What is left out of an order makes it hold for more: one whose `client` is misspelled would be for all clients. So an order of which
/// anything is not understood is none.
struct OrderDocument {
    /// Why a document is no order.
    struct Flaw: Error, CustomStringConvertible {
        let description: String

        init(_ description: String) { self.description = description }
    }

    private typealias Field = Fleet.OrderField

    let order: Order

    enum Order {
        case lane(LaneOrder)
        case cancellation(Cancellation)
        case lifted(LiftedCancellation)
    }

    init(_ document: BSONDocument) throws(Flaw) {
        if let field = document.brokenText { throw Flaw("\(field) is not UTF-8") }
        var fields = try Fields(document)
        let id = try fields.text(Field.id)
        let kind = try fields.text(Field.kind)
        let source = OrderSource(
            name: try fields.text(Field.source),
            date: try fields.date(Field.given),
            note: try fields.note(Field.note)
        )
        switch kind {
        case OrderKind.lane:
            let order = try Self.lane(&fields, source)
            try Self.require(id, OrderID.of(order))
            self.order = .lane(order)
        case OrderKind.cancel:
            let cancellation = try Self.cancellation(&fields, source)
            try Self.require(id, OrderID.of(cancellation))
            order = .cancellation(cancellation)
        case OrderKind.lifted:
            let cancellation = try Self.cancellation(&fields, source)
            try Self.require(id, OrderID.of(cancellation))
            let by = OrderSource(
                name: try fields.text(Field.liftedBy),
                date: try fields.date(Field.liftedAt),
                note: try fields.note(Field.liftedNote)
            )
            order = .lifted(LiftedCancellation(cancellation, by: by))
        default: throw Self.unknown(Field.kind, kind, [OrderKind.lane, OrderKind.cancel, OrderKind.lifted])
        }
        try fields.requireNoOthers()
    }

    private static func lane(_ fields: inout Fields, _ source: OrderSource) throws(Flaw) -> LaneOrder {
        let lane = try fields.text(Field.lane)
        let word = try fields.text(Field.state)
        guard let state = LaneOrder.State(rawValue: word) else {
            throw unknown(Field.state, word, LaneOrder.State.allCases.map(\.rawValue))
        }
        return LaneOrder(lane: lane, state: state, source: source)
    }

    private static func cancellation(_ fields: inout Fields, _ source: OrderSource) throws(Flaw) -> Cancellation {
        let batch = BatchName(try fields.text(Field.batch))
        let client = try fields.optionalText(Field.client)
        let coversUntil = try fields.optionalDate(Field.coversUntil)
        _ = try fields.date(Field.expiresAt)
        return Cancellation(
            batch: batch,
            client: client,
            source: source,
            lead: coversUntil.map { max(0, $0 - source.date) } ?? 0
        )
    }

    /// A word that is none of those that the field may have.
    private static func unknown(_ field: StaticString, _ word: String, _ known: [String]) -> Flaw {
        Flaw("\(field) is \(TextLength.cut(word, to: 40)), which is none of \(known.joined(separator: ", "))")
    }

    /// The id says what the order is about, too.
    private static func require(_ id: String, _ wanted: String) throws(Flaw) {
        guard id.isExactly(wanted) else { throw Flaw("_id is not that of what it says") }
    }
}

extension OrderDocument {
    /// The fields of a document, each taken once.
    private struct Fields {
        private var left: [String: BSONValue] = [:]

        /// More than any name has that Waybill writes.
        private static let mostTextBytes = 2048

        init(_ document: BSONDocument) throws(Flaw) {
            for (key, value) in document.fields {
                guard left.updateValue(value, forKey: key) == nil else { throw Flaw("a field is there twice") }
            }
        }

        mutating func text(_ field: StaticString) throws(Flaw) -> String {
            guard let text = try optionalText(field) else { throw Flaw("\(field) is missing") }
            return text
        }

        mutating func optionalText(
            _ field: StaticString,
            limit: Int = mostTextBytes
        ) throws(Flaw) -> String? {
            guard let value = left.removeValue(forKey: "\(field)") else { return nil }
            guard let text = value.string else { throw Flaw("\(field) is no text") }
            guard text.utf8.count <= limit else {
                throw Flaw("\(field) has \(text.utf8.count) bytes, and at most \(limit) are taken")
            }
            return text
        }

        mutating func note(_ field: StaticString) throws(Flaw) -> String? {
            try optionalText(field, limit: OrderSource.mostNoteBytes)
        }

        mutating func date(_ field: StaticString) throws(Flaw) -> Int64 {
            guard let date = try optionalDate(field) else { throw Flaw("\(field) is missing") }
            return date
        }

        mutating func optionalDate(_ field: StaticString) throws(Flaw) -> Int64? {
            guard let value = left.removeValue(forKey: "\(field)") else { return nil }
            guard let date = value.date else { throw Flaw("\(field) is no date") }
            return date
        }

        func requireNoOthers() throws(Flaw) {
            guard let other = left.keys.min() else { return }
            throw Flaw("\(other.prefix(60)) is no field of such an order")
        }
    }
}

/// The `_id` of orders: each takes the place of the one before it.
enum OrderID {
    static func of(_ order: LaneOrder) -> String { "lane/\(order.lane)" }

    static func of(_ order: Cancellation) -> String {
        // With its length, for both names may hold any character.
        let client = order.client.map { "\($0.utf8.count)/\($0)" } ?? "-"
        return "cancel/\(client)/\(order.batch.name)"
    }
}
