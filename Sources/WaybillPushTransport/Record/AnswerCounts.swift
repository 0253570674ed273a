/// Answers by status.
package struct AnswerCounts: Hashable, Sendable {
    /// 2xx.
    package var accepted = 0
    /// 401.
    package var unauthorized = 0
    /// 403.
    package var forbidden = 0
    /// 404.
    package var notFound = 0
    /// 410.
    package var gone = 0
    /// 429.
    package var throttled = 0
    /// 500 and above.
    package var serverError = 0
    /// 400, and every status that has no line of its own.
    package var badRequest = 0

    /// Of every class.
    package var total: Int {
        accepted + unauthorized + forbidden + notFound + gone + throttled + serverError + badRequest
    }

    mutating func count(_ status: Int) {
        switch status {
        case 200..<300: accepted += 1
        case 401: unauthorized += 1
        case 403: forbidden += 1
        case 404: notFound += 1
        case 410: gone += 1
        case 429: throttled += 1
        case 500...: serverError += 1
        default: badRequest += 1
        }
    }
}
