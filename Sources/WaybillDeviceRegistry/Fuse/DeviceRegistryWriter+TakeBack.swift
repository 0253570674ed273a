package import WaybillCore
package import WaybillMongo

extension DeviceRegistryWriter {
    /// Which events are about a device that the registry has; a tombstone is none.
    ///
    /// - Parameter events: any.
    /// - Returns: for each of them, in their order.
    /// - Throws: what the query fails with.
    package func areKnown(_ events: [InvalidTokenEvent]) throws(MongoError) -> [Bool] {
        guard !events.isEmpty else { return [] }
        let known = try withDevices { devices throws(MongoError) in
            try DeviceLookup.devices(of: events, in: devices)
        }
        return events.map { known.contains(DeviceKey.of($0)) }
    }

    /// Undoes what events have changed, as far as nothing has happened to the device since.
    ///
    /// A device is as it was before: enabled where the event had disabled it, no suspect where the event had made it one. Of a
    /// token that nobody has registered the registry has nothing again: its tombstone is taken out. What a person or an app has
    /// done since stays, and whatever they have said of a token makes a device of its tombstone, which is enabled then.
    ///
    /// - Parameters:
    ///   - events: as they were carried out, each with whether the registry had its device before the first time: by its
    ///     document alone, a device of which nobody has said anything but its token cannot be told from a tombstone.
    ///   - now: milliseconds since 1970.
    /// - Returns: how many devices were enabled again, and tombstones taken out.
    /// - Throws: when it is not known to be durable; the same may be done again.
    package func takeBack(
        _ events: [(event: InvalidTokenEvent, isKnown: Bool)],
        now: Int64
    ) throws(MongoError) -> Int {
        guard !events.isEmpty else { return 0 }
        return try withDevices { devices throws(MongoError) in
            let undoing = devices.bulk()
            for (event, isKnown) in events {
                let isDead = event.verdict == .dead
                let tombstone: Tombstone.Events = isDead && !isKnown ? .atMostOne : .none
                try undoing.updateOne(
                    filter: DeviceFilter.tombstone(of: event, tombstone),
                    update: Tombstone.takeBack(at: now),
                    upsert: false
                )
                guard isDead else { continue }
                try undoing.updateOne(
                    filter: DeviceFilter.device(disabledBy: event, no: tombstone),
                    update: DeviceUpdate.enableAgain(at: now),
                    upsert: false
                )
            }
            let undone = undoing.execute()
            try undone.requireDurable(operation)
            let trusting = devices.bulk()
            for (event, _) in events {
                try trusting.updateOne(
                    filter: DeviceFilter.suspected(by: event),
                    update: DeviceUpdate.trustAgain,
                    upsert: false
                )
            }
            try trusting.execute().requireDurable(operation)
            return undone.matched
        }
    }
}
