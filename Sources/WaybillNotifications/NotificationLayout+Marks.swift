import WaybillEncoding
import WaybillMongo

/// What Waybill writes beside a state, and by what a document is followed: what others have given a state is told by it.
extension NotificationLayout {
    /// Every state that a document may have.
    static let states = Set(State.allCases.map(\.rawValue) + PostedProgress.State.allCases.map(\.rawValue)).sorted()

    /// A field of one type, which Waybill writes with some states.
    struct Mark {
        /// The raw value is the store's name of the type.
        enum Kind: String {
            case date
            /// Not empty.
            case text = "string"
            case texts = "array"

            var words: String {
                switch self {
                case .date: "date"
                case .text: "text"
                case .texts: "array of texts"
                }
            }
        }

        let field: StaticString
        let kind: Kind

        func isIn(_ document: BSONDocument) -> Bool {
            let value = document["\(field)"]
            return switch kind {
            case .date: value?.date != nil
            case .text: value?.string?.isEmpty == false
            case .texts: value?.elements?.allSatisfy { $0.string != nil } == true
            }
        }

        /// The condition that it is there.
        func append(to filter: BSONWriter) {
            switch kind {
            case .date: filter.append(single: field) { $0.append("$type", string: kind.rawValue) }
            case .text: filter.append(single: field) { $0.append("$gt", string: "") }
            case .texts:
                filter.append(field) { condition in
                    condition.append("$type", string: kind.rawValue)
                    condition.append("$not") { none in
                        none.append("$elemMatch") { other in
                            other.append("$not") { $0.append("$type", string: Kind.text.rawValue) }
                        }
                    }
                }
            }
        }
    }

    /// What documents of some states have, so that somebody follows them.
    static let marks: [(states: [State], marks: [Mark])] = [
        ([.handingOver], underWay + [Mark(field: Field.message, kind: .text)]),
        ([.scheduled, .sending], underWay),
        (
            [.claimed],
            [
                Mark(field: Field.claimedUntil, kind: .date), Mark(field: Field.at, kind: .date),
                Mark(field: Field.messages, kind: .texts), Mark(field: Field.id, kind: .text),
            ]
        ),
    ]

    /// What each document that is under way has from its claim on.
    private static let underWay = [
        Mark(field: Field.due, kind: .date), Mark(field: Field.audience, kind: .text),
        Mark(field: Field.begins, kind: .date),
    ]

    /// The condition that a document has all that one of these states comes with, and room for what is noted.
    ///
    /// - Parameters:
    ///   - states: that come with the same.
    ///   - filter: gets the condition.
    static func appendWhole(_ states: [State], to filter: BSONWriter) {
        let needed = marks.first { $0.states.contains { states.contains($0) } }?.marks ?? []
        filter.append(
            "$and",
            array: { all in for mark in needed { all.append { mark.append(to: $0) } } }
        )
        filter.append("$expr", document: { $0.append(size: "$lte", BSONWriter.largestWithRoom) })
    }

    /// Why nobody follows a document that has a state; `nil` where somebody does, or where it has none.
    ///
    /// - Parameter document: with the state, and the fields by which it is followed.
    /// - Returns: the field, its value, and what there may be.
    static func flaw(_ document: BSONDocument) -> String? {
        flaw(document["\(Field.state)"]) { $0.isIn(document) }
    }

    /// The same by its state, and by whether it has a mark.
    static func flaw(_ state: BSONValue?, has: (Mark) -> Bool) -> String? {
        guard let state, state != .null else { return nil }
        guard let word = state.string, states.contains(word) else {
            let shown = state.string.map { TextLength.cut($0, to: 40) } ?? "no text"
            return "state is \(shown), which is none of \(states.joined(separator: ", ")); \(advice)"
        }
        for (states, marks) in marks where states.contains(where: { $0.rawValue == word }) {
            for mark in marks where !has(mark) {
                return "state is \(word), and \(mark.field) is no \(mark.kind.words); \(advice)"
            }
        }
        return nil
    }

    /// What is wrong where each mark is of the right type: one is empty, an element is of another type, or there is no room.
    static func otherFlaw(_ state: BSONValue?) -> String {
        "state is \(state?.string ?? ""), and what Waybill writes beside it is not whole; \(advice)"
    }

    /// Whether a document that was read is found again by its `_id`: no filter leads to what is not UTF-8.
    static func canBeFound(_ document: BSONDocument) -> Bool {
        guard let broken = document.brokenText else { return true }
        return broken != "\(Field.id)" && !broken.hasPrefix("\(Field.id).")
    }

    /// What is told of a document that was claimed, and of which nothing becomes.
    static func unreadable(_ states: [State]) -> String {
        "a document that is \(states.map(\.rawValue).joined(separator: " or ")) has an _id that cannot be read"
    }

    private static let advice = "what is to be sent has no state, which only Waybill writes"
}
