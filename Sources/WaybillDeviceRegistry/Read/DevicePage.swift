package import WaybillMongo

/// A device's document and what names the device.
package struct DevicePosition: Hashable, Sendable {
    /// Of the document, to go on behind it.
    package let id: BSONIdentifier
    /// `nil` if the document does not say that in a form of ours.
    package let address: DeviceAddress?
    /// What the push service knows it by is a Firebase installation id.
    package let isInstallation: Bool
    /// Why its document says nothing for certain, so that it has no address; `nil` for nearly all.
    package let flaw: DeviceFlaw?

    package init(id: BSONIdentifier, address: DeviceAddress?, isInstallation: Bool = false, flaw: DeviceFlaw? = nil) {
        self.id = id
        self.address = address
        self.isInstallation = isInstallation
        self.flaw = flaw
    }

    init(id: BSONIdentifier, _ document: BSONDocument) {
        let flaw = DeviceFlaw(document)
        self.init(
            id: id,
            address: flaw == nil ? DeviceAddress(document) : nil,
            isInstallation: document["\(DeviceRegistry.Field.kind)"]?.string == DeviceTokenKind.installation.rawValue,
            flaw: flaw
        )
    }
}

/// How many devices have the provider, the app and the environment in common by which they take their lane.
package struct DeviceShare: Hashable, Sendable {
    /// One of them, without a token; `nil` for those whose documents do not say it in a form of ours.
    package let address: DeviceAddress?
    package let devices: Int

    package init(address: DeviceAddress?, devices: Int) {
        self.address = address
        self.devices = devices
    }
}

extension DeviceReader {
    /// When the server should give up on one page.
    private static let maximumTime = Duration.seconds(8)
    /// As ``maximumTime``, for somebody who waits for all of them: few may match of many that are looked at.
    private static let maximumExportTime = Duration.seconds(60)

    /// The next devices that match, in the order of their documents' ids, which all have one type.
    ///
    /// Documents are read whole, but for their history: whether a field is there twice is seen in no other way.
    ///
    /// - Parameters:
    ///   - query: with an app, so that an index leads through them.
    ///   - after: the last one before; `nil` for the beginning.
    ///   - limit: at most so many.
    /// - Returns: fewer than the limit at the end.
    /// - Throws: what the store says.
    package func page(
        _ query: DeviceQuery,
        after: BSONIdentifier?,
        limit: Int
    ) throws(MongoError) -> [DevicePosition] {
        typealias Field = DeviceRegistry.Field
        let filter = BSONDocument { writer in
            query.append(to: writer)
            if let after { writer.append("_id") { $0.append("$gt", identifier: after) } }
        }
        let options = MongoFindOptions(
            sort: BSONDocument { $0.append("_id", int: 1) },
            limit: limit,
            projection: BSONDocument { $0.append(Field.history, int: 0) },
            batchSize: limit,
            maximumTime: Self.maximumTime,
            readsMajority: true
        )
        var page: [DevicePosition] = []
        page.reserveCapacity(limit)
        let cursor = collection.find(filter, options: options)
        while let document = try cursor.next() {
            guard let id = document.identifier("_id") else {
                throw MongoError(
                    code: .commandFailed,
                    operation: "read \(DeviceRegistry.collection)",
                    reason: "a device's _id has a type that documents cannot be ordered by"
                )
            }
            page.append(DevicePosition(id: id, document))
        }
        return page
    }

    /// As ``page(_:after:limit:)``, with all that the registry has of each device.
    ///
    /// - Returns: the devices, and the id of the last one's document; `nil` for it at the end.
    /// - Throws: what the store says.
    package func wholePage(
        _ query: DeviceQuery,
        after: BSONIdentifier?,
        limit: Int
    ) throws(MongoError) -> (devices: [Device], last: BSONIdentifier?) {
        let filter = BSONDocument { writer in
            query.append(to: writer)
            if let after { writer.append("_id") { $0.append("$gt", identifier: after) } }
        }
        let options = MongoFindOptions(
            sort: BSONDocument { $0.append("_id", int: 1) },
            limit: limit,
            batchSize: limit,
            maximumTime: Self.maximumExportTime,
            readsMajority: true
        )
        var devices: [Device] = []
        var last: BSONIdentifier?
        let cursor = collection.find(filter, options: options)
        while let document = try cursor.next() {
            guard let id = document.identifier("_id") else {
                throw MongoError(
                    code: .commandFailed,
                    operation: "read \(DeviceRegistry.collection)",
                    reason: "a device's _id has a type that documents cannot be ordered by"
                )
            }
            last = id
            devices.append(Device(document))
        }
        return (devices, devices.count < limit ? nil : last)
    }
}
