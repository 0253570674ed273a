import WaybillTelemetry

/// What a finding is about, for programs: its words may change, and this does not.
package enum FindingKind: String, CaseIterable, Sendable {
    // MARK: Processes

    /// A process has not been heard of for too long.
    case processSilent = "process_silent"
    /// A process has been started just now, and has not come to its work yet.
    case processStarting = "process_starting"
    /// The only dispatcher finishes what it has, and ends.
    case dispatcherStopping = "dispatcher_stopping"
    case noDispatcher = "no_dispatcher"
    /// Dispatchers run, none is ready, and none says why.
    case dispatcherNotReady = "dispatcher_not_ready"
    /// A queue that dispatchers read has no consumer.
    case queueUnread = "queue_unread"
    /// A process lacks something that it needs.
    case processLacks = "process_lacks"
    /// A thread of a process hangs.
    case threadStuck = "thread_stuck"
    /// A lane does not send: it is parked, tried again, paused or drained.
    case laneNotOpen = "lane_not_open"

    // MARK: What goes wrong though nothing is missing, as ``TroubleKind``

    case pushServiceSilent = "push_service_silent"
    case pushServiceUnreached = "push_service_unreached"
    case noToken = "no_token"
    case pushServicePutsOff = "push_service_puts_off"
    case deadTokens = "dead_tokens"
    case standstill
    case cancellationsNearlyFull = "cancellations_nearly_full"
    case orderUnreadable = "order_unreadable"
    case reloadRefused = "reload_refused"
    case documentUnfollowed = "document_unfollowed"
    /// A process of another release names a trouble that this one does not know.
    case otherTrouble = "other_trouble"

    // MARK: Broker

    case brokerUnanswered = "broker_unanswered"
    case brokerRefuses = "broker_refuses"
    case queuesMissing = "queues_missing"
    case brokerAlarm = "broker_alarm"
    case brokerNodeMissing = "broker_node_missing"
    /// The broker's HTTP API is configured and does not help.
    case brokerManagement = "broker_management"
    case rejectedHeld = "rejected_held"
    /// Events, messages, mails, webhooks or repeats wait, and no process of the role runs that takes them.
    case noPrune = "no_prune"
    case noFanout = "no_fanout"
    case noHooks = "no_hooks"
    case noSchedule = "no_schedule"
    /// Events on dead tokens are held until a person decides.
    case fuseBlown = "fuse_blown"
    /// There is no telling whether a fuse is blown: prune carries out nothing.
    case fuseUnreadable = "fuse_unreadable"

    // MARK: Store

    case storeUnanswered = "store_unanswered"
    case storeRefuses = "store_refuses"
    case storeNoPrimary = "store_no_primary"
    case storeLag = "store_lag"
    /// Records that should have gone are still there.
    case recordsOverdue = "records_overdue"
    case processesUnreadable = "processes_unreadable"
    case webhooksLate = "webhooks_late"
    case webhookEndpointsGivenUp = "webhook_endpoints_given_up"

    /// That of a trouble.
    ///
    /// - Parameter trouble: `nil` for one that this release does not know.
    init(_ trouble: TroubleKind?) {
        self =
            switch trouble {
            case .pushServiceSilent: .pushServiceSilent
            case .pushServiceUnreached: .pushServiceUnreached
            case .noToken: .noToken
            case .pushServicePutsOff: .pushServicePutsOff
            case .deadTokens: .deadTokens
            case .standstill: .standstill
            case .cancellationsNearlyFull: .cancellationsNearlyFull
            case .orderUnreadable: .orderUnreadable
            case .reloadRefused: .reloadRefused
            case .documentUnfollowed: .documentUnfollowed
            case nil: .otherTrouble
            }
    }
}
