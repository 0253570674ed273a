import WaybillAMQP

extension DeliveryTagTracker {
    /// Acknowledges what is due, on the connection that it came over.
    ///
    /// - Parameter connection: the present one; the plan has tags of no other.
    /// - Returns: whether anything was due.
    /// - Throws: what the broker says; then the connection is as good as lost, and what was not acknowledged comes again.
    mutating func acknowledge(on connection: AMQPConnection) throws(AMQPError) -> Bool {
        let plan = takePlan()
        if let tag = plan.upTo { try connection.acknowledge(tag, multiple: true) }
        for tag in plan.single { try connection.acknowledge(tag, multiple: false) }
        return !plan.isEmpty
    }
}
