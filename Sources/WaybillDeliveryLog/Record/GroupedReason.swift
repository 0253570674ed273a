import WaybillCore
import WaybillMongo

/// The reason by which records are counted together.
///
/// The reason of a superseded record is left out: it names one notification, so each record would be a group of its own.
enum GroupedReason {
    static func text(of record: borrowing DeliveryRecord) -> String? {
        record.outcome == .superseded ? nil : record.reason
    }

    /// Appends the reason to the key of a `$group` stage.
    static func append(to key: BSONWriter) {
        key.append(Field.reason) { expression in
            expression.append(
                "$cond",
                array: { array in
                    array.append(document: { condition in
                        condition.append(
                            "$eq",
                            array: { operands in
                                operands.append(string: "$\(Field.outcome)")
                                operands.append(string: Outcome.superseded.rawValue)
                            }
                        )
                    })
                    array.appendNull()
                    array.append(string: "$\(Field.reason)")
                }
            )
        }
    }
}
