/// How `waybill schedule` treats what others put into the collection `notifications`.
package struct ScheduleOptions: Hashable, Sendable {
    /// Whose notifications those are that do not say so.
    package var client = "notifications"
    /// How often it is looked for what change streams have not told.
    package var sweep = Duration.seconds(1)

    package init() {}
}
