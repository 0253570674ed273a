import WaybillMongo

/// The day of a record's `date`, in days since 1970, UTC.
///
/// With the day in front of its index, the entries of one day lie together, however many days are kept.
enum LogDay {
    private static let length: Int64 = 86_400_000

    /// The day of a time in milliseconds since 1970.
    static func of(_ date: Int64) -> Int { Int((Double(date) / Double(length)).rounded(.down)) }

    /// The last millisecond before a day.
    static func end(before day: Int) -> Int64 { Int64(day) * length - 1 }

    /// The update that gives records their day.
    static let filling = BSONDocument { pipeline in
        pipeline.append("0") { stage in
            stage.append("$set") { set in
                set.append(Field.day) { day in
                    day.append("$toInt") { floor in
                        floor.append("$floor") { quotient in
                            quotient.append(
                                "$divide",
                                array: { array in
                                    array.append(document: { $0.append("$toLong", string: "$\(Field.date)") })
                                    array.append(int64: length)
                                }
                            )
                        }
                    }
                }
            }
        }
    }
}

extension BSONWriter {
    /// Appends a record's date and its day, which always change together.
    func append(recordDate date: Int64) {
        append(Field.date, date: date)
        append(Field.day, int: LogDay.of(date))
    }

    /// Appends the condition on the day of records that have their date within these.
    ///
    /// - Parameters:
    ///   - first: in milliseconds since 1970, included; `nil` for the beginning of all days.
    ///   - last: included; `nil` for no end.
    func append(daysFrom first: Int64?, through last: Int64?) {
        append(Field.day) { condition in
            condition.append("$gte", int: first.map(LogDay.of) ?? 0)
            if let last { condition.append("$lte", int: LogDay.of(last)) }
        }
    }
}
