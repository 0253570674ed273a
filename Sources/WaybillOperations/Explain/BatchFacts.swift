import WaybillDeliveryLog
import WaybillFleet

/// All that is known of a batch when its story is told, and what follows from it: pure.
struct BatchFacts {
    /// What is recorded of it, what lies in the rejected queue, and its cancellations.
    let story: BatchStory
    /// How the look into the rejected queue has ended.
    let look: RejectedGlance.Outcome?
    let sending: SendingNow
    let cancellations: [Cancellation]
    let posted: PostedSentences
    let said: SaidSentences
    let audiences: AudienceSentences
    /// What was sent after the cancellations, in words.
    let sentLater: [String]
    /// How many of its notifications are to be sent again until somebody acknowledges them.
    let repeated: Int
    let fuses: FuseFindings
    let storms: TokenStorms
    let unserved: UnservedBatch
    /// Who is told.
    let reader: StoryReader

    var glance: RejectedGlance? { try? look?.get() }

    private var isRecorded: Bool { !story.groups.isEmpty }

    /// Whether all that is recorded has ended.
    private var isFinal: Bool { isRecorded && story.pending.isEmpty }

    /// Whether what stands in the store says that more of it may be sent.
    private var isUnderWay: Bool { posted.isUnderWay || said.isUnderWay || audiences.isUnderWay }

    // MARK: - What keeps it

    /// Whether it matters what keeps notifications from being sent.
    ///
    /// Of a batch that has ended as far as anybody knows, what others wait for explains nothing. Of one that waits, its own records
    /// say where; of what has no record, the log has no trace.
    var mayBeSent: Bool {
        isUnderWay || (isRecorded ? !isFinal : story.rejected.isEmpty && !audiences.isFutile && !posted.isFutile)
    }

    var unrecorded: Unrecorded { isRecorded ? (isUnderWay ? .more : .nothing) : .all }

    /// By when the delays of what is recorded are over, in milliseconds since 1970.
    var due: [(lane: String?, by: Int64)] {
        story.pending.compactMap { group in group.due.map { (lane: group.lane, by: $0.upperBound) } }
    }

    /// When it was published, without what a cancellation covers.
    var published: PublishedTimes {
        let first = story.period?.first
        let times = PublishedTimes(
            unrecorded: unrecorded == .nothing
                ? nil : [posted.published, said.published, audiences.published].compactMap(\.self).min(),
            lanes: Dictionary(
                story.pending.compactMap { group in group.lane.map { ($0, first ?? group.first) } },
                uniquingKeysWith: min
            )
        )
        return times.published(after: cancellations.map(\.coversUntil).max())
    }

    // MARK: - In words

    /// The story.
    ///
    /// - Parameter present: what keeps notifications from being sent; of nothing where it does not matter.
    /// - Returns: the facts, what holds of them now, and what to do next.
    func told(_ present: DeliveryInvestigation.Present) -> BatchStory {
        var story = story
        story.isPosted = !posted.found.isEmpty || !said.found.isEmpty || !audiences.found.isEmpty
        // Cancellations first: the page shows them apart.
        story.now = standing + end + missing.map(\.text) + keeping(present)
        story.next = lifts(present) + remedies(present)
        // Where all of it is in the store, there is nothing else to look at.
        guard isRecorded || !audiences.isAllInStore && !posted.isAllInStore else { return story }
        story.next += StoryAdvice.next(
            of: story,
            openLanes: present.openLanes,
            told: present.obstacles,
            fuses: fuses,
            storms: storms,
            reader: reader
        )
        return story
    }

    private var missing: [Obstacle] { unserved.obstacles(reader) }

    /// What was ordered, and what store and rejected queue have of it.
    private var standing: [String] {
        let cancelled = story.cancelled.map {
            StoryAdvice.cancelled($0, isRecorded: isRecorded || audiences.isAllInStore)
        }
        // Who may not read the one may not read the other, for the same reason.
        let obstacles = posted.obstacles + (posted.obstacles.isEmpty ? said.obstacles : []) + audiences.obstacles
        let isLost = !isRecorded && posted.handedOver + audiences.handedOver > 0
        return cancelled + sentLater + posted.found + said.found + audiences.found + obstacles
            + StoryAdvice.rejected(story.rejected) + StoryAdvice.unseen(look, reader)
            + (isLost ? [StoryAdvice.handedOver] : [])
    }

    /// Whether all of it has ended, as far as anybody knows.
    private var end: [String] {
        let isHeldUp = unserved.keepsRepeats
        if isFinal, !isUnderWay {
            return [StoryAdvice.final(of: story, isWhole: said.isWhole, repeated: repeated, isHeldUp: isHeldUp)]
        }
        return repeated > 0 ? ["\(StoryAdvice.repeated(repeated, isHeldUp: isHeldUp))."] : []
    }

    private func keeping(_ present: DeliveryInvestigation.Present) -> [String] {
        guard mayBeSent, reader.isOperator, unrecorded != .nothing,
            let waiting = glance?.waiting.sentence(unrecorded)
        else { return present.sentences }
        return present.sentences + [waiting]
    }

    /// How to lift its cancellations: where all that is known has ended, nothing is to be sent after all.
    private func lifts(_ present: DeliveryInvestigation.Present) -> [String] {
        let isKnown = isFinal || !audiences.found.isEmpty || !posted.found.isEmpty
        let isOver = isKnown && !audiences.isOpen && !posted.isOpen
        guard !isOver || !keeping(present).isEmpty else { return [] }
        return (story.cancelled + audiences.cancelledByKey.map(BatchStory.Cancellation.init)).map(reader.lift)
    }

    private func remedies(_ present: DeliveryInvestigation.Present) -> [String] {
        let ownReasons = glance?.reasons(ofNoneBut: story.name) ?? []
        return StoryAdvice.next(ofRejected: story.rejected, ownReasons: ownReasons, reader)
            + reader.understands(posted.next + audiences.next) + present.next + missing.remedies
            + (repeated > 0 ? StoryAdvice.next(ofRepeated: story.name, reader) : [])
    }
}
