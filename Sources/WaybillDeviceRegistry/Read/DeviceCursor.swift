package import WaybillMongo

/// The devices that a query found, fetched as they are read.
package final class DeviceCursor {
    private static let mostOfAPage = 1000

    private let reader: DeviceReader
    private let query: DeviceQuery
    /// How many may come yet.
    private var left: Int
    private var page = DevicePage<Device>(devices: [], after: nil, isLast: false)
    private var place = 0

    init(_ reader: DeviceReader, _ query: DeviceQuery, limit: Int) {
        self.reader = reader
        self.query = query
        left = limit
    }

    /// The next device; `nil` after the last one.
    package func next() throws(MongoError) -> Device? {
        guard left > 0 else { return nil }
        while place == page.devices.count {
            guard !page.isLast else { return nil }
            page = try reader.wholePage(query, after: page.after, limit: min(left, Self.mostOfAPage))
            place = 0
        }
        defer {
            place += 1
            left -= 1
        }
        return page.devices[place]
    }
}
