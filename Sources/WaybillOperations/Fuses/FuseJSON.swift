import WaybillDeviceRegistry
import WaybillEncoding

/// A fuse for programs.
package enum FuseJSON {
    /// One object, without a line feed.
    package static func text(_ overview: FuseOverview) -> String {
        let fuse = overview.fuse
        var json = JSONWriter()
        json.beginObject()
        json.member("lane", lineSafe: fuse.name.lane)
        json.member("app", lineSafe: fuse.name.app)
        json.member("state", fuse.state.rawValue)
        json.member("held", overview.held)
        json.beginObject("cause")
        write(fuse.cause, to: &json)
        json.endObject()
        if let decision = fuse.decision { write(decision, to: &json) }
        json.beginArray("past")
        for past in fuse.past {
            json.beginObject()
            json.member("state", past.state.rawValue)
            json.beginObject("cause")
            write(past.cause, to: &json)
            json.endObject()
            write(past.decision, to: &json)
            json.endObject()
        }
        json.endArray()
        json.endObject()
        return String(decoding: json.bytes, as: UTF8.self)
    }

    private static func write(_ cause: Fuse.Cause, to json: inout JSONWriter) {
        json.member("at", TimeText.text(milliseconds: cause.at))
        json.member("since", TimeText.text(milliseconds: cause.since))
        json.member("answers", cause.answers)
        json.member("invalid", cause.invalid)
        json.member("limit_per_mille", cause.limit)
        if let usual = cause.usual { json.member("usual_per_mille", usual) }
        if let reason = cause.reason { json.member("reason", lineSafe: reason) }
        json.member("words", lineSafe: cause.words)
    }

    private static func write(_ decision: FuseDecision, to json: inout JSONWriter) {
        json.beginObject("decided")
        json.member("by", lineSafe: decision.name)
        json.member("at", TimeText.text(milliseconds: decision.date))
        if let note = decision.note { json.member("note", lineSafe: note) }
        json.endObject()
    }
}
