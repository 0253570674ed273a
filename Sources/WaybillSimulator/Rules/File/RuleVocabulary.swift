/// The member names of a rules file, object by object.
///
/// A reader can ask only for these, and `schemas/simulator-rules.schema.json` has the same; a test holds the two against
/// each other.
package enum RuleVocabulary {
    /// A set of names that one object may have.
    package protocol Names: RawRepresentable<String>, CaseIterable, Hashable, Sendable {}

    package enum Document: String, Names {
        case rules, connections, streams
        case providerTokens = "provider_tokens"
    }

    package enum Request: String, Names {
        case tokenPrefix = "token_prefix"
        case pathPrefix = "path_prefix"
        case registrationPrefix = "registration_prefix"
        case times, probability
        case perMinute = "per_minute"
        case delay = "delay_ms"
        case jitter = "jitter_ms"
        case early
        case maxConcurrentStreams = "max_concurrent_streams"
        // The answer.
        case status, reason, timestamp, body
        case fcm, delivers
        // Its form.
        case interim
        case retryAfter = "retry_after"
        case date
        case apnsID = "apns_id"
        case headersBytes = "headers_bytes"
        case bodyBytes = "body_bytes"
        case split
        case emptyData = "empty_data"
        case trailers
        // The faults.
        case reset
        case resetAfter = "reset_after"
        case silence, close
        case closeAfterAnswer = "close_after_answer"
        case goAway = "goaway"
    }

    package enum GoAway: String, Names {
        case reason
        case errorCode = "error_code"
        case lastStream = "last_stream"
        case then = "then_ms"
        case again, close
        case closeAfter = "close_ms"
        case debugData = "debug_data"
        case debugBytes = "debug_bytes"
    }

    package enum SecondGoAway: String, Names {
        case after = "after_ms"
        case lastStream = "last_stream"
        case errorCode = "error_code"
        case reason
    }

    package enum Connection: String, Names {
        case times, skip, probability
        case refuse, tls, settings
        case initialStreams = "initial_streams"
        case streamSchedule = "max_streams_schedule"
        case connectionWindow = "connection_window"
        case holdWindows = "hold_windows"
        case hold = "hold_ms"
        case muteAfter = "mute_after"
        case unansweredAfter = "unanswered_after"
        case closeAfter = "close_after"
        case tcpReset = "tcp_reset"
        case goAwayAfter = "goaway_after"
        case goAway = "goaway"
        case idleTimeout = "idle_timeout_ms"
        case ping = "ping_ms"
        case flood
    }

    package enum Settings: String, Names {
        case maxConcurrentStreams = "max_concurrent_streams"
        case initialWindowSize = "initial_window_size"
        case maxHeaderListSize = "max_header_list_size"
        case headerTableSize = "header_table_size"
        case maxFrameSize = "max_frame_size"
    }

    package enum StreamStep: String, Names {
        case after, streams
    }

    package enum Flood: String, Names {
        case frames, count, after
    }

    package enum ProviderTokens: String, Names {
        case minimumUpdateInterval = "minimum_update_interval_s"
        case maximumAge = "maximum_age_s"
        case expiredTokenSticks = "expired_token_sticks"
        case together
        case reasonForAll = "reason_for_all"
    }

    package enum Streams: String, Names {
        case initial, regular
        case fallsAfterRefusal = "falls_after_refusal"
    }
}
