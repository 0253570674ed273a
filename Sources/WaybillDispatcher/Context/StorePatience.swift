import WaybillMongo
import WaybillTelemetry
import WaybillThreads

/// What a log thread does while the store does not answer: it says so, and tries again until the process must end.
struct StorePatience {
    let context: PipelineContext
    let watch: LoopWatch
    let condition: Condition

    /// Repeats an operation until it succeeds; `nil` only when the process must end first.
    ///
    /// - Parameters:
    ///   - isWrite: whether its success shows that a majority takes writes.
    ///   - operation: what is tried.
    /// - Returns: what the operation returns.
    func untilItAnswers<Result>(isWrite: Bool = false, _ operation: () throws(MongoError) -> Result) -> Result? {
        var backoff = Backoff(first: .milliseconds(100), last: .seconds(5))
        var isDown = false
        defer {
            if isDown {
                context.storeHealth.reportUp()
                context.mailboxes.consumer.send(.reconsider)
            }
        }
        while true {
            do {
                watch.works()
                let result = try operation()
                if isWrite { condition.holds() }
                if isDown { context.logger.emit(DispatchEvent.storeRecovered) }
                return result
            } catch {
                let pause = backoff.takePause()
                condition.fails(error.plain, retryAt: .now().advanced(by: pause))
                if !isDown {
                    isDown = true
                    context.storeHealth.reportDown()
                    context.logger.emit(DispatchEvent.storeFailed(error.description))
                }
                if context.storeHealth.isAbandoned { return nil }
                watch.waits()
                NamedThread.sleep(for: pause) { context.storeHealth.isAbandoned }
            }
        }
    }
}
