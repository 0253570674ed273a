import Glibc
import WaybillMongo

/// The wall clock, for what expires.
enum StatisticsClock {
    /// Milliseconds since 1970.
    static func now(advancedBy duration: Duration = .zero) -> Int64 {
        var time = timespec()
        clock_gettime(CLOCK_REALTIME, &time)
        return Int64(time.tv_sec) * 1000 + Int64(time.tv_nsec) / 1_000_000 + Int64(duration / .milliseconds(1))
    }
}

extension StatisticsClock {
    /// Appends the condition that a date lies longer ago than that, by the store's clock.
    static func isOlder(_ field: StaticString, than age: Duration, in expression: BSONWriter) {
        expression.append(
            "$lt",
            array: { comparison in
                comparison.append(string: "$\(field)")
                comparison.append(document: { operand in
                    operand.append(
                        "$subtract",
                        array: { array in
                            array.append(string: "$$NOW")
                            array.append(int64: Int64(age / .milliseconds(1)))
                        }
                    )
                })
            }
        )
    }

    /// The same with an age that the document itself says, as an expression of milliseconds.
    static func isOlder(_ field: StaticString, in expression: BSONWriter, than age: (BSONWriter) -> Void) {
        expression.append(
            "$lt",
            array: { comparison in
                comparison.append(string: "$\(field)")
                comparison.append(document: { operand in
                    operand.append(
                        "$subtract",
                        array: { array in
                            array.append(string: "$$NOW")
                            array.append(document: age)
                        }
                    )
                })
            }
        )
    }
}
