package import WaybillCore
package import WaybillMongo

extension DeviceRegistryWriter {
    /// Which events are about a device that the registry has.
    ///
    /// - Parameter events: any.
    /// - Returns: for each of them, in their order.
    /// - Throws: what the query fails with.
    package func areKnown(_ events: [InvalidTokenEvent]) throws(MongoError) -> [Bool] {
        guard !events.isEmpty else { return [] }
        let registrations = try withDevices { devices throws(MongoError) in
            try DeviceLookup.registrations(of: events, in: devices)
        }
        return events.map { registrations[DeviceKey.of($0)] != nil }
    }

    /// Undoes what events have changed, as far as nothing has happened to the device since.
    ///
    /// A device is as it was before: enabled where the event had disabled it, no suspect where the event had made it one. What a
    /// person or an app has done since stays.
    ///
    /// - Parameters:
    ///   - events: as they were carried out, each with whether the registry had its device before: a token that nobody has
    ///     registered stays disabled.
    ///   - now: milliseconds since 1970.
    /// - Returns: how many devices were enabled again.
    /// - Throws: when it is not known to be durable; the same may be done again.
    package func takeBack(
        _ events: [(event: InvalidTokenEvent, isKnown: Bool)],
        now: Int64
    ) throws(MongoError) -> Int {
        guard !events.isEmpty else { return 0 }
        return try withDevices { devices throws(MongoError) in
            let enabling = devices.bulk()
            for (event, isKnown) in events where isKnown && event.verdict == .dead {
                try enabling.updateOne(
                    filter: DeviceFilter.disabled(by: event),
                    update: DeviceUpdate.enableAgain(at: now),
                    upsert: false
                )
            }
            let enabled = enabling.execute()
            try enabled.requireDurable(operation)
            let trusting = devices.bulk()
            for (event, _) in events {
                try trusting.updateOne(
                    filter: DeviceFilter.suspected(by: event),
                    update: DeviceUpdate.trustAgain,
                    upsert: false
                )
            }
            try trusting.execute().requireDurable(operation)
            return enabled.matched
        }
    }
}
