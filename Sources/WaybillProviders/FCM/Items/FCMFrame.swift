import WaybillCore
import WaybillEncoding

/// The `Message` object around a message's text.
///
/// What the app's own code shows, so that it can ring and drop repeats, is a data message; what the system may show is a
/// notification message (Google, "Set and manage message type").
struct FCMFrame {
    var prefix: [UInt8]
    var suffix: [UInt8]
    var kind: FCMMessageKind
    var priority: PriorityClass
    /// `data` is in ``prefix``, else in ``suffix``.
    var isDataInPrefix: Bool
    /// Behind the brace of `data`, counted from the start of the part that it is in.
    var dataPlace: Int
    /// Bytes of keys and values, without the text itself.
    var size: Int

    private static let opening: StaticString = "{\"android\":{"
    /// Behind the brace of `android`, which every frame begins with.
    static var lifePlace: Int { opening.utf8CodeUnitCount }

    /// FCM's word for a priority.
    static func word(for priority: PriorityClass) -> StaticString { priority == .high ? "HIGH" : "NORMAL" }

    init(_ type: DeliveryType?, _ priority: PriorityClass?) {
        kind = type?.isUrgent == true ? .data : .notification
        self.priority = priority ?? .high
        prefix = Array(UnsafeBufferPointer(start: Self.opening.utf8Start, count: Self.opening.utf8CodeUnitCount))
        prefix += "\"priority\":\"\(Self.word(for: self.priority))\"".utf8
        suffix = []
        isDataInPrefix = kind == .data
        dataPlace = 0
        size = 0
    }
}

extension FCMItemBuilder {
    /// Writes what a notification asks for, or the defaults do.
    ///
    /// Of what is Apple's alone (`content_available`, `mutable_content`, `interruption_level`, `relevance_score`) nothing is
    /// sent: one message may go to phones of both kinds.
    mutating func makeFrame(own: Members, settings: Settings) throws(ItemFault) -> FCMFrame {
        let type = settings.deliveryType
        var frame = FCMFrame(type, settings.priority)
        if let key = settings.collapseKey {
            frame.prefix += ",\"collapse_key\":".utf8
            reader.withBytes(key) { JSONText.appendString($0, to: &frame.prefix) }
        }
        if type == .critical { frame.prefix += ",\"direct_boot_ok\":true".utf8 }
        let title = try text(.title, own: own)
        let sound = try sound(own: own)
        let badge = try badge(own: own)
        var data: [(StaticString, [UInt8])] = []
        if let type { data.append((FCMDataKey.type, Array(type.rawValue.utf8))) }
        if frame.kind == .data {
            if let title { data.append(("title", title)) }
            if let sound { data.append(("sound", sound)) }
            if let badge { data.append(("badge", Array("\(badge)".utf8))) }
        }
        let extras: [(Field, StaticString)] = [
            (.subtitle, "subtitle"), (.category, "category"), (.threadID, "thread_id"),
            (.targetContentID, "target_content_id"),
        ]
        for (field, key) in extras {
            if let text = try text(field, own: own) { data.append((key, text)) }
        }
        let taken: [StaticString] = data.map { $0.0 } + (frame.kind == .data ? ["body"] : [])
        let appData = try appData(own: own, beside: taken)
        switch frame.kind {
        case .data:
            frame.prefix += "},\"data\":{".utf8
            frame.dataPlace = frame.prefix.count
            frame.append(data, to: \.prefix)
            frame.append(appData, isFirst: data.isEmpty, to: \.prefix)
            frame.prefix += (data.isEmpty && appData.isEmpty ? "\"body\":\"" : ",\"body\":\"").utf8
            frame.suffix += "\"}}".utf8
        case .notification:
            frame.appendShown(sound: sound, badge: badge, tag: settings.collapseKey.map { bytes(of: $0) })
            frame.prefix += "},\"notification\":{".utf8
            if let title {
                frame.append([("title", title)], to: \.prefix)
                frame.prefix += ",".utf8
            }
            frame.prefix += "\"body\":\"".utf8
            frame.suffix += "\"},\"data\":{".utf8
            frame.dataPlace = frame.suffix.count
            frame.append(data, to: \.suffix)
            frame.append(appData, isFirst: data.isEmpty, to: \.suffix)
            frame.suffix += "}}".utf8
        }
        frame.size += "body".utf8.count
        return frame
    }

    private mutating func text(_ field: Field, own: Members) throws(ItemFault) -> [UInt8]? {
        guard let setting = reader.setting(field, own: own) else { return nil }
        return bytes(of: try reader.text(of: setting))
    }

    private func bytes(of text: ItemReader.Text) -> [UInt8] { reader.withBytes(text) { Array($0) } }

    /// What the producer has for the app, as texts, since FCM's `data` holds nothing else: what is none goes as its JSON text.
    ///
    /// `taken` are keys that the message's other fields make.
    private func appData(own: Members, beside taken: [StaticString]) throws(ItemFault) -> [AppDatum] {
        guard let setting = reader.setting(.data, own: own) else { return [] }
        let payload = FCMPayloadReader(reader: reader)
        var data: [AppDatum] = []
        for (name, value) in try reader.dataMembers(of: setting) {
            guard !payload.isReserved(name) else {
                throw setting.fault(
                    .must("has a key of FCM's: from, message_type, google.… and gcm.… are its own")
                )
            }
            guard !taken.contains(where: { reader.isName(name, $0) }) else {
                throw setting.fault(.must("has a key that a field beside it makes at FCM"))
            }
            let isText = value.kind == .string
            data.append(
                AppDatum(
                    name: reader.unescaped(name),
                    text: isText ? reader.unescaped(value) : Array(reader.bytes[value.range])
                )
            )
        }
        return data
    }

    private func badge(own: Members) throws(ItemFault) -> Int64? {
        guard let badge = reader.setting(.badge, own: own) else { return nil }
        guard let number = reader.integer(of: badge), 0...2_147_483_647 ~= number else {
            throw badge.fault(.must("must be a number from 0 to 2147483647"))
        }
        return number
    }

    /// A sound's name; of Apple's dictionary for a critical alert the name in it.
    private mutating func sound(own: Members) throws(ItemFault) -> [UInt8]? {
        guard let sound = reader.setting(.sound, own: own) else { return nil }
        switch sound.value.kind {
        case .string: return bytes(of: try reader.text(of: sound))
        case .object:
            guard let name = reader.member("name", in: sound.value.range),
                reader.bytes[name.lowerBound] == UInt8(ascii: "\"")
            else { return nil }
            var text: [UInt8] = []
            let inner = name.lowerBound + 1..<name.upperBound - 1
            JSONText.appendUnescaped(UnsafeBufferPointer(rebasing: reader.bytes[inner]), to: &text)
            return text
        default: throw sound.fault(.must("must be a string or an object"))
        }
    }
}

/// A member of `data` that is the producer's own.
private struct AppDatum {
    let name: [UInt8]
    let text: [UInt8]
}

extension FCMFrame {
    /// Appends what is the producer's own behind what is ours, and counts it.
    fileprivate mutating func append(
        _ data: [AppDatum],
        isFirst: Bool,
        to part: WritableKeyPath<Self, [UInt8]>
    ) {
        for (position, datum) in data.enumerated() {
            if position > 0 || !isFirst { self[keyPath: part].append(UInt8(ascii: ",")) }
            JSONText.appendString(datum.name, to: &self[keyPath: part])
            self[keyPath: part].append(UInt8(ascii: ":"))
            JSONText.appendString(datum.text, to: &self[keyPath: part])
            size += datum.name.count + datum.text.count
        }
    }

    /// Appends members with texts, and counts them.
    fileprivate mutating func append(
        _ members: [(StaticString, [UInt8])],
        to part: WritableKeyPath<Self, [UInt8]>
    ) {
        for (position, (name, text)) in members.enumerated() {
            if position > 0 { self[keyPath: part].append(UInt8(ascii: ",")) }
            self[keyPath: part] += "\"\(name)\":".utf8
            JSONText.appendString(text, to: &self[keyPath: part])
            size += name.utf8CodeUnitCount + text.count
        }
    }

    /// Appends `android.notification`: what the system shows beside the text.
    fileprivate mutating func appendShown(sound: [UInt8]?, badge: Int64?, tag: [UInt8]?) {
        var shown: [UInt8] = []
        func add(_ name: StaticString, _ value: some Sequence<UInt8>) {
            shown += "\(shown.isEmpty ? "" : ",")\"\(name)\":".utf8
            shown += value
        }
        func string(_ text: [UInt8]) -> [UInt8] {
            var json: [UInt8] = []
            JSONText.appendString(text, to: &json)
            return json
        }
        if let sound { add("sound", string(sound)) }
        if let badge { add("notification_count", "\(badge)".utf8) }
        // Where the first has been shown already, a collapse key alone replaces nothing.
        if let tag { add("tag", string(tag)) }
        guard !shown.isEmpty else { return }
        prefix += ",\"notification\":{".utf8
        prefix += shown
        prefix.append(UInt8(ascii: "}"))
    }
}
