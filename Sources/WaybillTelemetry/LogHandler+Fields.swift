import Logging

extension LogHandler {
    /// The fields of a line: the handler's own, those of its provider, and those that came with the event, which win.
    func fields(of event: LogEvent) -> Logger.Metadata {
        var fields = metadata
        if let provided = metadataProvider?.get() { fields.merge(provided) { $1 } }
        if let own = event.metadata { fields.merge(own) { $1 } }
        return fields
    }
}
