/// What an operator does about findings on broker and store, as sentences.
package enum StateAdvice {
    package static let broker =
        "Look at RabbitMQ: does it run, are broker.url and its user right? Nothing is lost meanwhile; Waybill goes on by itself."
    package static let brokerRights =
        "Compare the user and the password of broker.url, and its rights (the document Rights, rights.md): each command has a user of its own. "
        + "Nothing is known of the rest."
    static let node = "Start the node of RabbitMQ, or look at why it does not reach the others."
    static let management = "Compare broker.management, and see that its user has the tag monitoring."
    static let rejected =
        "Look at why (waybill rejected, or Rejected messages on the page), remove the cause, then replay or drop them."
    static let noPrune = "Start waybill prune: until then dead tokens stay enabled in the registry."
    static let noPruneAfterRelease =
        "Start it: waybill prune, or systemctl start waybill-prune where it is a service. It carries them out within seconds; until then the registry disables none of these tokens."
    static let noHooks = "Start waybill hooks: until then nobody receives mail."
    static let noWebhooks =
        "Start waybill hooks with the section webhooks: until then nobody is told what became of notifications."
    static let lateWebhooks =
        "See which endpoint is slow (waybill webhooks), and what waybill hooks says; events are kept for 30 days."
    static let givenUpEndpoints =
        "Look at why (waybill webhooks), tell whose they are, then waybill webhooks enable or remove them."
    static let noFanout = "Start waybill fanout: until then nothing of these audiences is sent."
    static let noScheduleForNotifications =
        "Start waybill schedule: until then nothing new is handed over, and nobody notes what becomes of the rest. Nothing is lost meanwhile."
    static let noSchedule =
        "Start waybill schedule: until then nothing is sent again to people who have not acknowledged. Nothing is lost meanwhile."
    package static let store =
        "Look at MongoDB: does it run, has its disk room (its log says so), is store.url right? Messages wait in the broker meanwhile; Waybill goes on by itself."
    package static let storeRights =
        "Compare the user and the password of store.url, and its rights (the document Rights, rights.md): each command has a user of its own. "
        + "Nothing is known of the rest."
    static let noPrimary =
        "Look at MongoDB: a majority of the members must run and reach each other (rs.status()). Messages wait in the broker "
        + "meanwhile; Waybill goes on by itself."
    static let lag =
        "A member of the replica set is slow or away (rs.status()). Records take longer to become durable, and pushes go out "
        + "more slowly."
    static let unreadableLease =
        "Waybill writes no such document: see who else may write to the collection, and remove it. A process of another release "
        + "may look like this, too: start all processes in one release."
    static let overdue =
        "MongoDB removes expired records by itself: see whether its ttlMonitorEnabled is on, and its load."
}
