import WaybillCore
import WaybillMongo

/// Updates of a record by a dispatcher that has pushed the same notification as the one that wrote it: the pushes of both count
/// as attempts, and stand in the history.
///
/// Pipelines, so that the server adds to what it finds.
enum SecondPush {
    /// The path of the dates in a record's history.
    static let historyDate: StaticString = "history.date"

    /// Marks a record and adds pushes to it.
    static func added(_ pushes: [AttemptRecord]) -> BSONDocument {
        stage("$set") { set in
            set.append(Field.isRepeat, bool: true)
            if !pushes.isEmpty { append(pushes, to: set, beyond: 0) }
        }
    }

    /// Puts another record in the place of one, with the pushes of both.
    static func replacing(with record: BSONDocument, pushes: [AttemptRecord]) -> BSONDocument {
        stage("$replaceWith") { replace in
            replace.append(
                "$mergeObjects",
                array: { array in
                    array.append(document: { $0.append("$literal", document: record) })
                    // A record with one push has no history.
                    array.append(document: { append(pushes, to: $0, beyond: pushes.isEmpty ? 0 : 1) })
                }
            )
        }
    }

    /// A pipeline of one stage.
    private static func stage(_ name: StaticString, _ body: (BSONWriter) -> Void) -> BSONDocument {
        BSONDocument { pipeline in pipeline.append("0", document: { $0.append(name, document: body) }) }
    }

    /// Appends the sum of attempts, and the history: the record's pushes and then these, where they are more than `least`.
    private static func append(_ pushes: [AttemptRecord], to fields: BSONWriter, beyond least: Int64) {
        fields.append(
            Field.attempts,
            document: { sum in
                sum.append(
                    "$add",
                    array: { array in
                        array.append(string: "$\(Field.attempts)")
                        array.append(int64: Int64(pushes.count))
                    }
                )
            }
        )
        fields.append(
            Field.history,
            document: { history in
                history.append(
                    "$cond",
                    document: { condition in
                        condition.append("if") { test in
                            test.append(
                                "$gt",
                                array: { array in
                                    array.append(document: { $0.append("$size", document: all(pushes)) })
                                    array.append(int64: least)
                                }
                            )
                        }
                        // Of more than the limit the last ones stay.
                        condition.append("then") { last in
                            last.append(
                                "$slice",
                                array: { array in
                                    array.append(document: all(pushes))
                                    array.append(int64: Int64(-LogEntry.historyLimit))
                                }
                            )
                        }
                        condition.append("else", string: "$$REMOVE")
                    }
                )
            }
        )
    }

    private static func all(_ pushes: [AttemptRecord]) -> BSONDocument {
        BSONDocument { all in
            all.append(
                "$concatArrays",
                array: { array in
                    array.append(document: known)
                    array.append(document: { literal in
                        literal.append(
                            "$literal",
                            array: { array in for push in pushes { array.append(document: { $0.append(push) }) } }
                        )
                    })
                }
            )
        }
    }

    /// The pushes of the stored record: its history, or its own answer where it has one attempt.
    private static let known = BSONDocument { known in
        known.append(
            "$ifNull",
            array: { array in
                array.append(string: "$\(Field.history)")
                array.append(document: { condition in
                    condition.append("$cond") { condition in
                        condition.append("if") { test in
                            test.append(
                                "$gt",
                                array: { array in
                                    array.append(string: "$\(Field.attempts)")
                                    array.append(int64: 0)
                                }
                            )
                        }
                        condition.append(
                            "then",
                            array: { array in
                                array.append(document: { push in
                                    for field in [Field.date, Field.statusCode, Field.reason, Field.latency] {
                                        push.append(field, string: "$\(field)")
                                    }
                                })
                            }
                        )
                        condition.append("else", array: { _ in })
                    }
                })
            }
        )
    }
}
