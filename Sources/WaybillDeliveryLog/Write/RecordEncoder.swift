package import WaybillCore
package import WaybillMongo
import WaybillTLS

/// Writes delivery records as BSON: the fields of the schema, in its order; what is absent has no field.
///
/// Bytes go from the message's body to the document without a `String` between them.
package struct RecordEncoder {
    private let body: DeliveryLogOptions.Body
    private let tokenForm: TokenForm
    private let retention: RetentionPolicy

    package init(options: DeliveryLogOptions) {
        body = options.body
        tokenForm = TokenForm(tokens: options.tokens)
        retention = options.retention
    }

    /// Replaces what the writer holds by one record.
    package func encode(_ record: borrowing DeliveryRecord, into writer: BSONWriter) {
        writer.removeAll()
        writer.append(Field.id, uuid: record.id.high, record.id.low)
        if let given = record.givenID { writer.append(Field.givenID, uuid: given.high, given.low) }
        if let fingerprint = record.fingerprint {
            writer.append(Field.fingerprint, string: Fingerprint.text(fingerprint))
        }
        if let token = record.deviceToken {
            tokenForm.withStored(token) { writer.append(Field.deviceToken, utf8: $0) }
        }
        writer.append(Field.outcome, string: record.outcome.rawValue)
        if let status = record.statusCode { writer.append(Field.statusCode, int: status) }
        if let reason = record.reason { writer.append(Field.reason, string: reason) }
        if let message = record.message { append(message: message, to: writer) }
        writer.append(recordDate: record.date)
        if let expiresAt = retention.expiresAt(date: record.date, client: record.client) {
            writer.append(Field.expiresAt, date: expiresAt)
        }
        writer.append(Field.batchID, string: record.batchID)
        if let position = record.position { writer.append(Field.position, int: position) }
        if let client = record.client { writer.append(Field.client, string: client) }
        if let service = record.serviceID { writer.append(Field.serviceID, string: service) }
        writer.append(Field.lane, string: record.lane)
        if let provider = record.provider { writer.append(Field.provider, string: provider) }
        if let name = record.providerID { writer.append(Field.providerID, string: name) }
        if let topic = record.topic { writer.append(Field.topic, string: topic) }
        if let kind = record.kind { writer.append(Field.pushType, string: kind) }
        if record.isKindDerived { writer.append(Field.pushTypeFrom, string: "payload") }
        if let priority = record.priority { writer.append(Field.priority, int: priority.rawValue) }
        if let expiration = record.expiration { writer.append(Field.expiration, int: Int(expiration)) }
        if let origin = record.expirationFrom { writer.append(Field.expirationFrom, string: origin.rawValue) }
        if let maxAge = record.maxAge { writer.append(Field.maxAge, int: maxAge) }
        switch record.collapseKey {
        case .none: break
        case .explicit(let bytes): writer.append(Field.collapseID, utf8: bytes)
        case .digest(let digest): digest.withHexadecimal { writer.append(Field.collapseID, utf8: $0) }
        }
        writer.append(Field.attempts, int: record.attempts)
        if let latency = record.latencyMilliseconds { writer.append(Field.latency, double: latency) }
        if let queued = record.queuedMilliseconds { writer.append(Field.queued, int: Int(queued)) }
        if let family = record.family { writer.append(family: family) }
        if let invalidSince = record.invalidSince { writer.append(Field.invalidSince, date: invalidSince) }
        if record.isRepeat { writer.append(Field.isRepeat, bool: true) }
        if !record.history.isEmpty { writer.append(history: record.history) }
        if !record.waited.isEmpty { writer.append(waited: record.waited) }
        if let next = record.next {
            writer.append(Field.due, date: next.due)
            writer.append(Field.pass, int: next.number)
        }
        if record.isCountedByDate { writer.append(Field.byDate, bool: true) }
    }

    private func append(message: ArraySlice<UInt8>, to writer: BSONWriter) {
        switch body {
        case .full: writer.append(Field.message, utf8: message)
        case .digest:
            let prefix: StaticString = "sha256:"
            let count = prefix.utf8CodeUnitCount + SHA256Digest.hexadecimalCount
            let digest = SHA256Hasher.digest(of: message)
            withUnsafeTemporaryAllocation(byteCount: count, alignment: 1) { text in
                text.copyMemory(from: UnsafeRawBufferPointer(start: prefix.utf8Start, count: prefix.utf8CodeUnitCount))
                digest.writeHexadecimal(to: UnsafeMutableRawBufferPointer(rebasing: text[prefix.utf8CodeUnitCount...]))
                writer.append(Field.message, utf8: UnsafeRawBufferPointer(text))
            }
        case .none: break
        }
    }
}

extension BSONWriter {
    /// Appends which repeat of which notification it is.
    func append(family: FamilyMember) {
        append(
            Field.family,
            document: { writer in
                writer.append(Field.first, uuid: family.first.high, family.first.low)
                writer.append(Field.number, int: family.number)
                writer.append(Field.of, int: family.limit)
            }
        )
    }

    /// Appends the fields of one push.
    func append(_ attempt: AttemptRecord) {
        append(Field.date, date: attempt.date)
        if let status = attempt.status { append(Field.statusCode, int: status) }
        if let reason = attempt.reason { append(Field.reason, string: reason) }
        if let latency = attempt.latency { append(Field.latency, double: latency) }
        if let detail = attempt.detail { append(Field.detail, string: detail) }
    }

    /// Appends every push that was sent.
    func append(history: [AttemptRecord]) {
        append(
            Field.history,
            array: { array in
                for attempt in history {
                    array.append(document: { $0.append(attempt) })
                }
            }
        )
    }

    /// Appends how long it was put off unsent.
    func append(waited: [LaneWait]) {
        append(
            Field.waited,
            array: { array in
                for wait in waited {
                    array.append(document: { writer in
                        writer.append(Field.reason, string: wait.reason.rawValue)
                        writer.append(Field.from, date: wait.from)
                        if let until = wait.until { writer.append(Field.until, date: until) }
                        writer.append(Field.times, int: wait.times)
                    })
                }
            }
        )
    }
}
