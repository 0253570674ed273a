import WaybillEncoding
import WaybillFleet

/// A lane for programs.
package enum LaneJSON {
    /// One object, without a line feed.
    package static func text(_ lane: LaneOverview) -> String {
        var json = JSONWriter()
        json.beginObject()
        json.member("lane", lane.name)
        json.beginArray("dispatchers")
        for place in lane.places {
            json.beginObject()
            json.member("process", place.process)
            json.member("state", place.state)
            if let cause = place.cause { json.member("cause", lineSafe: cause) }
            if let advice = place.advice { json.member("advice", lineSafe: advice) }
            if lane.order != nil {
                json.member("confirmed", json: (lane.isConfirmed(by: place) ? "true" : "false").utf8)
            }
            json.endObject()
        }
        json.endArray()
        if let order = lane.order {
            json.beginObject("order")
            json.member("state", order.state.rawValue)
            json.member("by", lineSafe: order.source.name)
            json.member("at", TimeText.text(milliseconds: order.source.date))
            if let note = order.source.note { json.member("note", lineSafe: note) }
            json.endObject()
        }
        json.endObject()
        return String(decoding: json.bytes, as: UTF8.self)
    }
}
