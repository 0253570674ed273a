import WaybillMongo

/// Expressions for the server's aggregations.
enum StatisticsExpression {
    /// The beginning of the step in which a date lies, in milliseconds since 1970.
    static func floor(_ date: String, to step: Int64, in expression: BSONWriter) {
        expression.append(
            "$subtract",
            array: { operands in
                operands.append(document: { $0.append("$toLong", string: date) })
                operands.append(document: { remainder in
                    remainder.append(
                        "$mod",
                        array: { array in
                            array.append(document: { $0.append("$toLong", string: date) })
                            array.append(int64: step)
                        }
                    )
                })
            }
        )
    }

    /// The sums of counts, and of each class of latency, of what a stage groups: `count`, and `b0` for the first class.
    static func sums(in group: BSONWriter) {
        group.append(Statistics.Cell.count) { $0.append("$sum", string: "$\(Statistics.Cell.count)") }
        for bucket in 0..<LatencyBuckets.count {
            group.append(
                name: "b\(bucket)",
                document: { $0.append("$sum", string: "$\(Statistics.Cell.latency).\(bucket)") }
            )
        }
    }

    /// The class of a latency, by the bounds of ``LatencyBuckets``; null without a latency.
    static func bucket(of field: String, in expression: BSONWriter) {
        condition(in: expression) {
            $0.append(
                "$lte",
                // What is missing sorts like null, before every number.
                array: { array in
                    array.append(string: field)
                    array.appendNull()
                }
            )
        } then: {
            $0.appendNull()
        } otherwise: { array in
            search(field, 0, LatencyBuckets.bounds.count, in: &array)
        }
    }

    /// Halves the bounds until one class is left.
    private static func search(_ field: String, _ low: Int, _ high: Int, in array: inout BSONArrayWriter) {
        guard low < high else { return array.append(int64: Int64(low)) }
        let middle = (low + high) / 2
        array.append(document: { expression in
            condition(in: expression) {
                $0.append(
                    "$lt",
                    array: { operands in
                        operands.append(string: field)
                        operands.append(double: LatencyBuckets.bounds[middle])
                    }
                )
            } then: { array in
                search(field, low, middle, in: &array)
            } otherwise: { array in
                search(field, middle + 1, high, in: &array)
            }
        })
    }

    private static func condition(
        in expression: BSONWriter,
        _ test: (BSONWriter) -> Void,
        then: (inout BSONArrayWriter) -> Void,
        otherwise: (inout BSONArrayWriter) -> Void
    ) {
        expression.append(
            "$cond",
            array: { array in
                array.append(document: test)
                then(&array)
                otherwise(&array)
            }
        )
    }
}
