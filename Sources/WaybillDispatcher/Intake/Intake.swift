package import WaybillAMQP
import WaybillCore
import WaybillFleet
import WaybillMessages
import WaybillProviders
import WaybillThreads

/// Turns a delivery into a message in flight, or into a rejected body: pure, apart from the clock.
package struct Intake {
    package enum Result {
        case accepted(InFlightMessage)
        case rejected(Publication)

        /// Notifications, at least 1.
        var itemCount: Int {
            switch self {
            case .accepted(let message): message.finalizer.itemCount
            case .rejected(let publication): publication.finalizer.itemCount
            }
        }
    }

    let decoder: BatchDecoder
    /// Who may send as whom; `nil` asks nobody.
    private let rules: ProducerRules?
    private let retention: RetentionPolicy
    private let moved: MovedMessages
    /// Says when a lane was resumed; `nil` where nobody can order that.
    private let orders: OrdersInForce?

    /// - Parameters:
    ///   - decoder: reads the bodies.
    ///   - rules: who may send as whom; `nil` asks nobody.
    ///   - retention: says which clients may be named.
    ///   - moved: tells messages that came here by another way.
    ///   - orders: the operators', which say when a lane was resumed.
    init(
        decoder: BatchDecoder,
        rules: ProducerRules? = nil,
        retention: RetentionPolicy = RetentionPolicy(default: .keep),
        moved: MovedMessages = MovedMessages(recallsAfterStart: false),
        orders: OrdersInForce? = nil
    ) {
        self.orders = orders
        self.decoder = decoder
        self.rules = rules
        self.retention = retention
        self.moved = moved
    }

    /// As a pipeline is configured; what comes in its first minute may be known.
    package init(context: PipelineContext) {
        self.init(
            decoder: context.decoder,
            rules: context.producers,
            retention: context.retention,
            moved: MovedMessages(recallsAfterStart: true),
            orders: context.orders
        )
    }

    /// Reads a delivery.
    ///
    /// - Parameters:
    ///   - delivery: the message as it came.
    ///   - source: the queue it came from, by its consumer. What its headers say of earlier passes counts only where nobody
    ///     but Waybill can write.
    ///   - epoch: the connection it came over.
    ///   - wasUnstarted: whether it was here before, and only that.
    /// - Returns: the message, or what to publish to the rejected queue.
    package func take(_ delivery: AMQPDelivery, from source: MessageSource, epoch: Int, wasUnstarted: Bool = false)
        -> Result
    {
        let properties = delivery.properties
        let isBulk = source.isBulk(delivery)
        let now = WallClock.milliseconds()
        let firstSeen = source.isRetry ? RetryMessage.firstSeen(in: properties) ?? now : now
        let time = properties.timestamp.flatMap(Self.plausible)
        var known = MessageProperties(
            messageID: properties.messageID,
            timestampMilliseconds: time.map { Int64($0) * 1000 },
            contentEncoding: properties.contentEncoding,
            firstSeenMilliseconds: firstSeen
        )
        let producer = source.isRetry ? RetryMessage.producer(in: properties) ?? properties.userID : properties.userID
        let retry: RetryHeader?
        do throws(BodyRejection) {
            try BrokenText.refuse(properties)
            retry = source.isRetry ? try RetryMessage.header(in: properties) : nil
            known.retry = retry
            var batch = try decoder.decode(delivery.body, properties: known).get()
            // What comes back for another attempt was asked when it came first, and its items have records.
            var isKnown = true
            if retry == nil {
                if properties.timestamp != nil, time == nil { throw Self.noTime(of: batch) }
                isKnown = try admit(&batch, of: producer, properties)
                try refuseUnknownClient(of: batch)
            }
            let finalizer = Finalizer(
                epoch: epoch,
                deliveryTag: delivery.deliveryTag,
                itemCount: batch.items.count,
                byteCount: batch.byteCount,
                isBulk: isBulk,
                lane: batch.lane,
                part: retry.map { MessagePart(batch.identity, indexes: $0.indexes) }
                    ?? MessagePart(batch.identity, count: batch.items.count)
            )
            let signs = signs(of: delivery, batch, from: source, isRetry: retry != nil, now: now)
            let origin = InFlightMessage.Origin(
                pass: retry?.attempt ?? 1,
                isRetry: retry != nil,
                isRedelivered: !wasUnstarted && (delivery.isRedelivered || signs.wasDelivered)
                    || retry != nil && RetryMessage.isCopy(properties),
                mayBeKnown: wasUnstarted || signs.mayBeKnown,
                isBehindItsRetry: signs.isBehindItsRetry,
                messageID: properties.messageID,
                producer: producer,
                appID: properties.appID,
                isBulk: isBulk,
                waited: retry == nil ? [] : waited(properties, lane: batch.lane),
                family: retry?.family,
                isOfUnknownProducer: !isKnown,
                timestamp: time,
                firstSeen: firstSeen,
                time: retry?.family?.begins ?? batch.identity.milliseconds.map(Int64.init) ?? firstSeen,
                receivedAt: now
            )
            return .accepted(InFlightMessage(finalizer: finalizer, batch: batch, origin: origin))
        } catch {
            let finalizer = Finalizer(
                epoch: epoch,
                deliveryTag: delivery.deliveryTag,
                itemCount: 1,
                byteCount: delivery.body.count,
                isBulk: isBulk,
                lane: nil,
                part: nil
            )
            let rejected = RejectedBody(
                body: delivery.body,
                properties: properties,
                reason: error.reason,
                detail: error.detail,
                firstSeen: firstSeen,
                origin: RejectedProperties.Origin(
                    queue: source.queue,
                    producer: producer,
                    client: error.envelope.client,
                    batchID: error.envelope.batchID
                )
            )
            return .rejected(Publication(content: .rejectedBody(rejected), finalizer: finalizer, positions: [0]))
        }
    }

    /// How long a retry's items were put off, a pause no longer than until the lane was resumed.
    private func waited(_ properties: AMQPProperties, lane: Int) -> [LaneWait] {
        let waits = RetryMessage.waited(in: properties)
        guard waits.last?.reason == .paused, let order = orders?.current?.lanes[decoder.lanes[lane].name],
            order.state == .open
        else { return waits }
        return waits.resumed(at: order.source.date)
    }

    private func signs(
        of delivery: AMQPDelivery,
        _ batch: Batch,
        from source: MessageSource,
        isRetry: Bool,
        now: Int64
    ) -> MovedMessages.Signs {
        moved.signs(
            of: delivery.properties,
            batch.identity,
            queue: source.queue,
            isRetry: isRetry,
            age: batch.identity.milliseconds.map { now - Int64($0) },
            now: .now()
        )
    }

    private func refuseUnknownClient(of batch: Batch) throws(BodyRejection) {
        guard retention.unknown == .reject, retention.isUnknown(batch.client) else { return }
        var rejection = UnknownClients.rejection(batch.client ?? "", names: retention.names)
        rejection.envelope = BodyRejection.Envelope(batchID: batch.id, client: batch.client)
        throw rejection
    }

    /// Holds a message to what its sender may send.
    ///
    /// - Returns: false for a message of nobody known, which nobody has to be.
    private func admit(
        _ batch: inout Batch,
        of producer: String?,
        _ properties: AMQPProperties
    ) throws(BodyRejection) -> Bool {
        guard let rules else { return true }
        let sender = ProducerRules.Sender(
            user: producer,
            hasMessageID: properties.messageID?.isEmpty == false,
            hasTimestamp: properties.timestamp.flatMap(Self.plausible) != nil
        )
        do throws(BodyRejection) {
            guard case .known(let kinds) = try rules.admit(sender, client: batch.client, lane: batch.laneName)
            else {
                return false
            }
            if let kinds {
                let field = decoder.lanes[batch.lane].provider.kindField
                try ProducerRules.restrict(&batch, to: kinds, field: field, user: producer ?? "")
            }
            return true
        } catch {
            var rejection = error
            rejection.envelope = BodyRejection.Envelope(batchID: batch.id, client: batch.client)
            throw rejection
        }
    }

    /// Taken for absent, it would switch `max_age` off and give a repeat another id.
    private static func noTime(of batch: Batch) -> BodyRejection {
        var rejection = BodyRejection(
            .badValue,
            "timestamp: is too large; it counts seconds since 1970, not milliseconds"
        )
        rejection.envelope = BodyRejection.Envelope(batchID: batch.id, client: batch.client)
        return rejection
    }

    /// AMQP timestamps are seconds; `nil` for one that cannot be a time.
    private static func plausible(_ timestamp: UInt64) -> UInt64? {
        timestamp < 1 << 38 ? timestamp : nil
    }
}
