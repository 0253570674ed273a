import WaybillEncoding

extension JSONWriter {
    /// Appends a member whose value is an array of objects that are written already.
    mutating func append(_ name: StaticString, _ objects: [String]) {
        self.name("\(name)")
        beginArray()
        for object in objects { element(json: object.utf8) }
        endArray()
    }
}
