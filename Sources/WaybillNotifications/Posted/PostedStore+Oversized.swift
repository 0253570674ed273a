package import WaybillMongo

/// A document that is too large to be sent, and is not read.
package struct OversizedNotification: Hashable, Sendable {
    /// The beginning of its `_id`, if that is a text or an ObjectId; else empty.
    package let name: String
    package let bytes: Int
    /// Whether there was room in it to say so.
    package let canBeMarked: Bool
}

extension PostedStore {
    private typealias Field = NotificationLayout.Field

    /// The largest document that is read: its audience message may have 1 MiB.
    static let largest = 1_200_000
    private static let mostNamed = 100
    private static let nameCharacters = 64

    /// Refuses all documents that nobody has looked at and that are too large to be sent, without reading them.
    ///
    /// - Returns: which these were, the first hundred; those without room for a state are among them each time.
    /// - Throws: what the store says.
    package func refuseOversized() throws(MongoError) -> [OversizedNotification] {
        let found = try collection.aggregate(
            [
                BSONDocument { stage in
                    stage.append("$match") { match in
                        match.appendNull(Field.state)
                        match.append("$expr", document: { $0.append(size: "$gt", Self.largest) })
                    }
                },
                BSONDocument { $0.append("$limit", int: Self.mostNamed) },
                BSONDocument { stage in
                    stage.append("$project") { fields in
                        fields.append("_id", int: 0)
                        fields.append("bytes", document: { $0.append("$bsonSize", string: "$$ROOT") })
                        fields.append("name", document: Self.beginningOfName)
                    }
                },
            ],
            maximumTime: .seconds(30),
            readsMajority: true
        ).all().map { document in
            let bytes = Int(document["bytes"]?.int ?? 0)
            return OversizedNotification(
                name: document["name"]?.string ?? "",
                bytes: bytes,
                canBeMarked: bytes <= BSONWriter.largestWithRoom
            )
        }
        guard found.contains(where: \.canBeMarked) else { return found }
        let filter = BSONDocument { writer in
            writer.appendNull(Field.state)
            writer.append("$expr") { both in
                both.append(
                    "$and",
                    array: { all in
                        all.append { $0.append(size: "$gt", Self.largest) }
                        all.append { $0.append(size: "$lte", BSONWriter.largestWithRoom) }
                    }
                )
            }
        }
        let update = BSONDocument { writer in
            writer.append("$set") { set in
                set.append(Field.state, string: NotificationLayout.State.refused.rawValue)
                set.append(Field.sent, bool: false)
                set.append(Field.reason, string: Self.tooLarge)
            }
        }
        let bulk = collection.bulk()
        try bulk.updateMany(filter: filter, update: update)
        try bulk.execute().requireDurable("write to \(NotificationLayout.collection)")
        return found
    }

    /// Why such a document is refused.
    package static let tooLarge = "the document has more than \(largest) bytes"

    private static let beginningOfName = BSONDocument { writer in
        writer.append("$switch") { choice in
            choice.append(
                "branches",
                array: { branches in
                    branches.append { branch in
                        branch.append("case") { Self.isType($0, "string") }
                        branch.append("then") { then in
                            then.append(
                                "$substrCP",
                                array: { parts in
                                    parts.append(string: "$_id")
                                    parts.append(int64: 0)
                                    parts.append(int64: Int64(nameCharacters))
                                }
                            )
                        }
                    }
                    branches.append { branch in
                        branch.append("case") { Self.isType($0, "objectId") }
                        branch.append("then") { $0.append("$toString", string: "$_id") }
                    }
                }
            )
            choice.append("default", string: "")
        }
    }

    private static func isType(_ writer: BSONWriter, _ name: String) {
        writer.append(
            "$eq",
            array: { sides in
                sides.append { $0.append("$type", string: "$_id") }
                sides.append(string: name)
            }
        )
    }
}
