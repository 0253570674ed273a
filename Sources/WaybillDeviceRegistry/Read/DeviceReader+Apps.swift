package import WaybillMongo

/// Which apps have devices, whatever their state; each question is one look-up in an index.
extension DeviceReader {
    package func hasDevice(of app: String) throws(MongoError) -> Bool {
        let filter = BSONDocument { $0.append(DeviceRegistry.Field.app, string: app) }
        let options = MongoFindOptions(projection: BSONDocument { $0.append("_id", int: 1) }, maximumTime: .seconds(10))
        return try collection.findOne(filter, options: options) != nil
    }

    /// The first apps by their names, at most so many.
    package func apps(limit: Int) throws(MongoError) -> [String] {
        var apps: [String] = []
        while apps.count < limit, let app = try nextApp(after: apps.last ?? "") { apps.append(app) }
        return apps
    }

    private func nextApp(after last: String) throws(MongoError) -> String? {
        let field = DeviceRegistry.Field.app
        let filter = BSONDocument { $0.append(field) { $0.append("$gt", string: last) } }
        let options = MongoFindOptions(
            sort: BSONDocument { $0.append(field, int: 1) },
            projection: BSONDocument { $0.append(field, int: 1) },
            maximumTime: .seconds(10)
        )
        return try collection.findOne(filter, options: options)?["\(field)"]?.string
    }
}
