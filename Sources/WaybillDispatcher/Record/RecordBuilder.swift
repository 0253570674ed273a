import WaybillCore
package import WaybillDeliveryLog
package import WaybillProviders

/// Makes the record of an item from its outcome and from what earlier passes left in the log.
package enum RecordBuilder {
    /// The entry to write for an item.
    ///
    /// `isFirstTry` is false when an earlier try may have written it: what is found in its place may be itself.
    package static func makeEntry(for item: ItemOutcome, lanes: [Lane], isFirstTry: Bool = true) -> LogEntry {
        let message = item.message
        let earlier = message.recalledDelivery(at: item.position)
        let items = message.batch.items
        return LogEntry(
            record: makeRecord(
                of: items[item.position].content,
                index: items[item.position].index,
                item,
                after: earlier,
                lanes: lanes
            ),
            predecessor: earlier.map(LogEntry.Predecessor.init),
            // The log knew of no end when the push was sent. If it knows one now, somebody else has sent a copy.
            wasPushed: item.attempts > 0,
            mayBeWritten: !isFirstTry
        )
    }

    /// Looks into an item's content once, and where it lies: inlined, it would be copied, which costs as much as the rest.
    @inline(never)
    private static func makeRecord(
        of content: Batch.Item.Content,
        index: Int,
        _ item: ItemOutcome,
        after earlier: RecordedDelivery?,
        lanes: [Lane]
    ) -> DeliveryRecord {
        switch content {
        case .valid(let notification):
            makeRecord(notification.id, notification, nil, index: index, item, after: earlier, lanes: lanes)
        case .invalid(let invalid):
            makeRecord(invalid.id, nil, invalid, index: index, item, after: earlier, lanes: lanes)
        }
    }

    /// Made in one piece: set member by member, the whole value would be copied once more.
    private static func makeRecord(
        _ id: NotificationID,
        _ notification: Notification?,
        _ invalid: InvalidItem?,
        index: Int,
        _ item: ItemOutcome,
        after earlier: RecordedDelivery?,
        lanes: [Lane]
    ) -> DeliveryRecord {
        let isGiven = notification?.fingerprint != nil
        let message = item.message
        let isIDTaken = item.isIDTaken || message.isIDTaken(at: item.position)
        return DeliveryRecord(
            id: isIDTaken ? message.batch.identity.otherID(at: index, isGiven: isGiven) : id,
            givenID: invalid?.givenID ?? (isIDTaken ? id : nil),
            fingerprint: notification?.fingerprint,
            deviceToken: notification?.deviceToken ?? invalid?.deviceToken,
            outcome: item.outcome,
            statusCode: item.statusCode,
            reason: item.reason,
            message: notification?.message ?? notification?.payload,
            date: item.date,
            batchID: message.batch.id,
            position: item.outcome == .invalid ? index : nil,
            client: message.batch.client,
            serviceID: message.batch.serviceID,
            lane: lanes[message.batch.lane].name,
            provider: lanes[message.batch.lane].provider.name.recorded,
            providerID: item.providerID,
            topic: notification?.topic,
            kind: notification?.kind,
            isKindDerived: notification?.isKindDerived ?? false,
            priority: notification?.priority,
            expiration: notification?.expiration.seconds,
            expirationFrom: notification?.expirationFrom,
            maxAge: notification?.maxAge,
            collapseKey: notification?.collapseKey ?? .none,
            attempts: item.attempts + (earlier?.attempts ?? 0),
            latencyMilliseconds: item.latency.map { Double($0 / 1000) / 1000 },
            queuedMilliseconds: queuedMilliseconds(of: message),
            family: message.origin.family,
            invalidSince: item.invalidSince,
            // What was handed out before may have been pushed then, also when it is too late now, put off once more, or has lost
            // its id meanwhile. Whatever else makes it invalid did so then, too.
            isRepeat: message.origin.isRedelivered && (item.outcome != .invalid || isIDTaken)
                || earlier?.isRepeat == true || isRepeated(item, after: earlier),
            history: history(of: item, after: earlier),
            waited: item.wait.map { message.origin.waited.adding(LaneWait($0, from: item.date)) }
                ?? message.origin.waited,
            next: item.retry?.pass,
            isCountedByDate: item.outcome.isFinal && isCountedByDate(item, isGiven: isGiven)
        )
    }

    /// The minute that an item's record is counted in; `nil` for one that is not final.
    package static func statisticsMinute(of item: ItemOutcome) -> StatisticsMinute? {
        guard item.outcome.isFinal else { return nil }
        let isGiven = item.message.batch.hasGivenIDs && hasFingerprint(item.message.batch.items[item.position].content)
        guard !isCountedByDate(item, isGiven: isGiven), let time = item.message.batch.identity.milliseconds else {
            return StatisticsMinute(.date, time: item.date)
        }
        return StatisticsMinute(.id, time: Int64(time))
    }

    private static func isCountedByDate(_ item: ItemOutcome, isGiven: Bool) -> Bool {
        let time = isGiven ? nil : item.message.batch.identity.milliseconds
        return StatisticsMinute.isByDate(messageTime: time, date: item.date)
    }

    @inline(never)
    private static func hasFingerprint(_ content: Batch.Item.Content) -> Bool {
        if case .valid(let notification) = content { notification.fingerprint != nil } else { false }
    }

    /// From the producer's clock, so never below zero; a repeat was not published by a producer.
    private static func queuedMilliseconds(of message: InFlightMessage) -> Int64? {
        guard message.origin.family == nil else { return nil }
        return message.origin.timestamp.map { max(0, message.origin.receivedAt - Int64($0) * 1000) }
    }

    /// Whether it was pushed after an attempt that may have reached the service.
    private static func isRepeated(_ item: ItemOutcome, after earlier: RecordedDelivery?) -> Bool {
        // Most records have one attempt.
        if item.attempts == 0 || item.history.isEmpty && earlier == nil { return false }
        return ((earlier?.sentAttempts ?? []) + item.sent).hasRepeat
    }

    /// Every push that was sent, with time, status and reason; empty where the record itself tells of the only one.
    private static func history(of item: ItemOutcome, after earlier: RecordedDelivery?) -> [AttemptRecord] {
        // A record has no latency without an answer, and the next pass asks when the push was sent.
        let isLost = item.outcome == .deferred && item.statusCode == nil && item.tellsOfLastAttempt
        if item.history.isEmpty, earlier == nil, !isLost { return [] }
        var attempts = (earlier?.sentAttempts ?? []) + item.sent
        if attempts.count == 1, !isLost, let only = attempts.first, only.date == item.date,
            only.status == item.statusCode, only.reason == item.reason, only.detail == nil
        {
            return []
        }
        // A lane that stays parked for weeks adds one with each probe: the first and the last ones tell the story.
        let surplus = attempts.count - historyLimit
        guard surplus > 0 else { return attempts }
        let removed = attempts[firstAttempts..<firstAttempts + surplus]
        let silent = removed.last(where: \.isUnanswered)
        attempts.removeSubrange(firstAttempts..<firstAttempts + surplus)
        // That one push had no answer decides how it ends, whenever that is.
        if let silent, !attempts.contains(where: \.isUnanswered) { attempts[firstAttempts - 1] = silent }
        return attempts
    }

    static let historyLimit = LogEntry.historyLimit
    static let firstAttempts = 8
}

extension LogEntry.Predecessor {
    fileprivate init(_ earlier: RecordedDelivery) {
        self.init(attempts: earlier.attempts, isRepeat: earlier.isRepeat, deviceToken: earlier.deviceToken)
    }
}
