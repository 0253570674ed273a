/// Keeps account of many notifications: which are without an outcome, which outcomes nobody has read yet.
///
/// Decisions only: ``OutcomeInbox`` has the lock and the tasks that wait. Each notification that is entered has exactly
/// one outcome here.
struct OutcomeBuffer {
    /// A notification, by its place in what was sent.
    struct Entry {
        let index: Int
        let apnsID: APNSID
    }

    /// What a reader finds.
    enum Found {
        /// At least one outcome; the entries are in the order of the rows.
        case outcomes([ArraySlice<APNSOutcome>], [Entry?], ready: [APNSBatch.Outcome])
        case nothingYet
        case end
    }

    private let capacity: Int
    /// By the number that a request carries through the driver.
    private var entries: [Entry?] = []
    /// Numbers that are used again.
    private var free: [Int] = []
    /// How many entries are in use.
    private var open = 0
    private var rows: [ArraySlice<APNSOutcome>] = []
    /// Outcomes of notifications that were never handed over, and those that a reader has put back.
    private var ready: [APNSBatch.Outcome] = []
    /// How much room whoever enters waits for; 0 when nobody waits.
    private var wanted = 0
    private var isFinished = false
    /// The reader has left: nothing more is to be entered.
    private(set) var isAbandoned = false
    /// Nobody can read any more.
    private var isDiscarded = false

    /// - Parameter capacity: how many notifications may be without an outcome that was read.
    init(capacity: Int) {
        self.capacity = max(1, capacity)
    }

    // MARK: Entering

    /// Enters a whole batch of which some were refused; nothing follows.
    mutating func enter(apnsIDs: [APNSID], refused: [APNSBatch.Outcome]) {
        entries = apnsIDs.enumerated().map { Entry(index: $0.offset, apnsID: $0.element) }
        open = apnsIDs.count - refused.count
        ready = refused
        isFinished = true
    }

    /// Enters one notification.
    ///
    /// - Returns: the number for its request.
    mutating func enter(_ entry: Entry) -> Int {
        open += 1
        guard let number = free.popLast() else {
            entries.append(entry)
            return entries.count - 1
        }
        entries[number] = entry
        return number
    }

    /// Gives a notification its outcome that was entered and not handed over.
    mutating func refuse(_ number: Int, _ error: APNSError) {
        guard let entry = entries[number].take() else { return }
        free.append(number)
        open -= 1
        ready.append(APNSBatch.Outcome(index: entry.index, apnsID: entry.apnsID, result: .failure(error)))
    }

    /// Nothing more is entered.
    mutating func finish() {
        isFinished = true
    }

    mutating func abandon() {
        isAbandoned = true
    }

    /// Whether one more may be entered.
    ///
    /// Once there was no room, a quarter of it has to become free, so that the two sides do not wake each other for every
    /// single notification.
    mutating func takeRoom() -> Bool {
        guard room >= max(1, wanted) else {
            wanted = max(1, capacity / 4)
            return false
        }
        wanted = 0
        return true
    }

    /// Whether whoever waits for room has it.
    var hasWantedRoom: Bool { room >= wanted }

    private var room: Int { capacity - open - ready.count }

    // MARK: Reading

    /// Outcomes have come.
    mutating func add(_ row: ArraySlice<APNSOutcome>) {
        if !isDiscarded { rows.append(row) }
    }

    /// Lets go of what nobody will read: an outcome refers to its owner, which would keep itself alive by it.
    mutating func discard() {
        isDiscarded = true
        rows = []
        ready = []
    }

    /// A reader gives back what it took and did not use.
    mutating func putBack(_ outcomes: ArraySlice<APNSBatch.Outcome>) {
        ready = outcomes + ready
    }

    /// Whether a reader finds an outcome or the end.
    var isReadable: Bool { !rows.isEmpty || !ready.isEmpty || (isFinished && open == 0) }

    /// Whether an outcome is still to be read, or to come.
    var hasUnread: Bool { open > 0 || !ready.isEmpty || !isFinished }

    /// Takes every outcome that has come.
    mutating func take() -> Found {
        guard isReadable else { return .nothingYet }
        guard !rows.isEmpty || !ready.isEmpty else { return .end }
        defer {
            rows = []
            ready = []
        }
        var taken: [Entry?] = []
        for outcome in rows.joined() {
            // The driver hands out each request once, under the number that it was entered with.
            taken.append(entries[outcome.index].take())
            free.append(outcome.index)
            open -= 1
        }
        return .outcomes(rows, taken, ready: ready)
    }
}
