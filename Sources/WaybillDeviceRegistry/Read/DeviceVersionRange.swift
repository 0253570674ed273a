import WaybillMongo

/// Conditions on the number of an app's version, which the registry has as text.
enum DeviceVersionRange {
    /// Versions have at most so many numbers; the rest of a longer one is not compared.
    private static let length = 8

    /// Compares versions number by number, so that `2.10` comes after `2.9`, and `2` is `2.0`.
    ///
    /// What is no number counts as 0.
    static func append(from: [Int]?, below: [Int]?, to writer: BSONWriter) {
        guard from != nil || below != nil else { return }
        writer.append(DeviceRegistry.Field.appVersion) { $0.append("$type", string: "string") }
        writer.append("$expr") { expression in
            expression.append(
                "$and",
                array: { conditions in
                    if let from { conditions.append { compare("$gte", with: from, to: $0) } }
                    if let below { conditions.append { compare("$lt", with: below, to: $0) } }
                }
            )
        }
    }

    private static func compare(_ how: StaticString, with version: [Int], to writer: BSONWriter) {
        writer.append(
            how,
            array: { sides in
                sides.append { $0.append("$slice", array: appendNumbers) }
                sides.append { literal in
                    literal.append(
                        "$literal",
                        array: { array in
                            for place in 0..<length {
                                array.append(int64: place < version.count ? Int64(version[place]) : 0)
                            }
                        }
                    )
                }
            }
        )
    }

    /// The numbers of a device's version, with zeros behind them.
    private static func appendNumbers(to array: inout BSONArrayWriter) {
        array.append { padded in
            padded.append(
                "$concatArrays",
                array: { parts in
                    parts.append { $0.append("$map", document: appendConversion) }
                    parts.append { zeros in
                        zeros.append("$literal", array: { for _ in 0..<length { $0.append(int64: 0) } })
                    }
                }
            )
        }
        array.append(int64: Int64(length))
    }

    private static func appendConversion(to map: BSONWriter) {
        map.append("input") { input in
            input.append(
                "$split",
                array: { array in
                    array.append(string: "$\(DeviceRegistry.Field.appVersion)")
                    array.append(string: ".")
                }
            )
        }
        map.append("in") { each in
            each.append("$convert") { conversion in
                conversion.append("input", string: "$$this")
                conversion.append("to", string: "long")
                conversion.append("onError", int64: 0)
                conversion.append("onNull", int64: 0)
            }
        }
    }
}
