import WaybillMongo

/// Cells as BSON, and back from what the server has grouped.
enum StatisticsCoding {
    static func append(_ cells: [StatisticsKey: StatisticsCounts], to writer: BSONWriter) {
        writer.append(
            Statistics.Field.cells,
            array: { array in
                for (key, counts) in cells { array.append(document: { append(key, counts, to: $0) }) }
            }
        )
    }

    private static func append(_ key: StatisticsKey, _ counts: StatisticsCounts, to cell: BSONWriter) {
        cell.append(Statistics.Cell.minute, date: key.minute * StatisticsMinute.milliseconds)
        cell.append(Statistics.Cell.outcome, string: key.outcome)
        if let client = key.client { cell.append(Statistics.Cell.client, string: client) }
        cell.append(Statistics.Cell.lane, string: key.lane)
        if let topic = key.topic { cell.append(Statistics.Cell.topic, string: topic) }
        if let pushType = key.pushType { cell.append(Statistics.Cell.pushType, string: pushType) }
        if let reason = key.reason { cell.append(Statistics.Cell.reason, string: reason) }
        cell.append(Statistics.Cell.count, int: counts.count)
        guard counts.latency.contains(where: { $0 > 0 }) else { return }
        cell.append(Statistics.Cell.latency) { latency in
            for (bucket, count) in counts.latency.enumerated() where count > 0 {
                latency.append(name: "\(bucket)", int: Int32(clamping: count))
            }
        }
    }
}
