import WaybillCompression
package import WaybillCore
package import WaybillEncoding
import WaybillTLS

/// Turns the body of a dispatch message into a batch (`schemas/dispatch-message.schema.json`).
///
/// Input: bytes and the few AMQP properties that matter. Output: a batch in which every value that reaches a header or the
/// path has been checked, or the reason why the whole body is unreadable. What is wrong with one notification stays with
/// it, and never stops its neighbours. Pure: the same message gives the same batch, today and after a redelivery.
package struct BatchDecoder: Sendable {
    package let limits: DecodingLimits
    package let lanes: [Lane]
    /// The limit on the age of a client's notifications that set none themselves, in seconds, by the client's name.
    package let clientMaxAges: [ExactName: Int]

    /// - Precondition: there is a lane; the first one takes messages that name none.
    package init(limits: DecodingLimits, lanes: [Lane], clientMaxAges: [ExactName: Int] = [:]) {
        precondition(!lanes.isEmpty, "a decoder without a lane")
        self.limits = limits
        self.lanes = lanes
        self.clientMaxAges = clientMaxAges
    }

    /// Decodes one message.
    package func decode(_ body: [UInt8], properties: MessageProperties) -> Result<Batch, BodyRejection> {
        do throws(BodyRejection) {
            let slack = properties.retry == nil ? 0 : DecodingLimits.retrySlack
            let json = try plainBody(body, encoding: properties.contentEncoding, limit: limits.maxBodySize + slack)
            return .success(try decode(json: json, properties: properties))
        } catch {
            return .failure(error)
        }
    }

    private func plainBody(
        _ body: [UInt8],
        encoding: String?,
        limit: Int
    ) throws(BodyRejection) -> [UInt8] {
        guard !body.isEmpty else { throw BodyRejection(.empty, "the body is empty") }
        guard body.count <= limit else {
            throw BodyRejection(.tooLarge, "the body is \(body.count) bytes, more than \(limit)")
        }
        // Some AMQP libraries put the character set here, or MIME's transfer encoding.
        if ContentCoding.isPlain(encoding) { return body }
        let name = encoding?.lowercased()
        guard name == "gzip" || name == "x-gzip" else {
            throw BodyRejection(.badEncoding, "content-encoding must be gzip, or absent")
        }
        do throws(GzipError) {
            return try Gzip.inflate(body, limit: limit)
        } catch {
            if error == .tooLarge { throw BodyRejection(.tooLarge, "the inflated body has more than \(limit) bytes") }
            throw BodyRejection(.badEncoding, "the body is not the gzip data that content-encoding promises")
        }
    }

    private func decode(json: [UInt8], properties: MessageProperties) throws(BodyRejection) -> Batch {
        let producersDepth = min(limits.maxDepth, DecodingLimits.depthCeiling)
        let maxDepth = producersDepth + (properties.retry == nil ? 0 : DecodingLimits.retryDepth)
        let result = json.withUnsafeBufferPointer { bytes -> Result<Batch, BodyRejection> in
            var reader = EnvelopeReader(bytes, maxNotifications: limits.maxNotifications, maxDepth: maxDepth)
            func failure(_ rejection: BodyRejection) -> Result<Batch, BodyRejection> {
                var rejection = rejection
                rejection.envelope = EnvelopeNames(bytes).readable(batchID: reader.batchID, client: reader.client)
                return .failure(rejection)
            }
            do throws(JSONFault) {
                try reader.read()
            } catch {
                return failure(error.rejection(maxDepth: maxDepth))
            }
            if let rejection = reader.rejection { return failure(rejection) }
            do throws(BodyRejection) {
                return .success(try makeBatch(reader, json: json, bytes: bytes, properties: properties))
            } catch {
                return failure(error)
            }
        }
        return try result.get()
    }

    private func makeBatch(
        _ reader: EnvelopeReader,
        json: [UInt8],
        bytes: UnsafeBufferPointer<UInt8>,
        properties: MessageProperties
    ) throws(BodyRejection) -> Batch {
        let names = EnvelopeNames(bytes)
        let lane = try position(ofLane: names.lane(reader.lane))
        let client = try names.name(reader.client, field: .client)
        let service = try names.name(reader.serviceID, field: .serviceID)
        let name =
            try names.name(reader.batchID, field: .batchID) ?? properties.messageID.flatMap(EnvelopeNames.usable)
        let id = name ?? SHA256Hasher.digest(of: json).hexadecimal
        let identity =
            properties.retry?.identity
            ?? MessageIdentity(
                milliseconds: MessageTime.milliseconds(of: properties),
                digest: MessageDigest(batchID: id, body: json)
            )
        let indexes = try indexes(of: properties.retry, count: reader.drafts.count)
        let itemReader = ItemReader(
            envelope: reader,
            bytes: bytes,
            client: client,
            commonMaxAge: client.flatMap { clientMaxAges[$0] } ?? lanes[lane].maxAge,
            identity: identity,
            time: time(of: properties, identity),
            laneExpiration: lanes[lane].expiration,
            receipts: lanes[lane].receipts,
            family: properties.retry?.family
        )
        let items: [Batch.Item]
        let hasGivenIDs: Bool
        let repeats: [Int: RepeatRule]
        switch lanes[lane].provider {
        case .apns(let rules):
            var builder = APNSItemBuilder(reader: itemReader, limits: limits.apns, lane: rules)
            items = builder.makeItems(body: json, indexes: indexes)
            hasGivenIDs = builder.reader.hasGivenIDs
            repeats = builder.reader.repeats
        case .fcm(let rules):
            var builder = FCMItemBuilder(reader: itemReader, limits: limits.fcm, lane: rules)
            items = builder.makeItems(body: json, indexes: indexes)
            hasGivenIDs = builder.reader.hasGivenIDs
            repeats = builder.reader.repeats
        }
        return Batch(
            id: id,
            isNamed: name != nil,
            identity: identity,
            hasGivenIDs: hasGivenIDs,
            client: client,
            serviceID: service,
            lane: lane,
            laneName: lanes[lane].name,
            form: reader.batchForm(body: json),
            items: items,
            repeats: repeats,
            byteCount: json.count
        )
    }

    /// The time from which a default expiration counts, in milliseconds since 1970.
    ///
    /// The message's own, else when a dispatcher first saw it. A repeat counts from its own first sight, and not from the time of
    /// its series.
    private func time(of properties: MessageProperties, _ identity: MessageIdentity) -> Int64? {
        guard properties.retry?.family == nil, let own = identity.milliseconds else {
            return properties.firstSeenMilliseconds
        }
        return Int64(own)
    }

    /// A lane's position; the first lane is the one for messages that name none.
    private func position(ofLane name: String?) throws(BodyRejection) -> Int {
        guard let name else { return 0 }
        guard let position = lanes.firstIndex(where: { $0.name.isExactly(name) }) else {
            throw BodyRejection(.unknownLane, "lane: \(LaneName.unknown(name, configured: lanes.map(\.name)))")
        }
        return position
    }

    /// The items' positions in the producer's own message; `nil` when this is it.
    private func indexes(of retry: RetryHeader?, count: Int) throws(BodyRejection) -> [Int]? {
        guard let retry else { return nil }
        guard retry.indexes.count == count else {
            throw BodyRejection(
                .badRetryHeader,
                "the retry header names \(retry.indexes.count) positions for \(count) items"
            )
        }
        return retry.indexes
    }
}
