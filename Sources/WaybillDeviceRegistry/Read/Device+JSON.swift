import WaybillEncoding

extension Device {
    private typealias Field = DeviceRegistry.Field

    /// One JSON object without a line break: the fields that are there, by their names, dates in RFC 3339.
    package var json: String {
        var object = JSONObject()
        func add(_ field: StaticString, _ text: String?) { object.add("\(field)", text) }
        func add(_ field: StaticString, date: Int64?) { object.add("\(field)", date.map(TimeText.text(milliseconds:))) }
        add(Field.deviceToken, deviceToken)
        add(Field.topic, topic)
        add(Field.environment, environment)
        add(Field.client, client)
        add(Field.registeredAt, date: registeredAt)
        add(Field.disabledAt, date: disabledAt)
        add(Field.disabledReason, disabledReason)
        add(Field.invalidSince, date: invalidSince)
        add(Field.suspectedAt, date: suspectedAt)
        add(Field.suspectedReason, suspectedReason)
        return object.text
    }
}
