// What the examples use of Firebase Cloud Messaging: signatures alone.
@file:Suppress("UNUSED_PARAMETER", "unused")

package com.google.firebase.messaging

import android.content.Context

open class FirebaseMessagingService : Context() {
    open fun onMessageReceived(message: RemoteMessage) {}
    open fun onNewToken(token: String) {}
}

class RemoteMessage {
    val data: Map<String, String> get() = emptyMap()
    val priority: Int get() = 0
    val originalPriority: Int get() = 0

    companion object {
        const val PRIORITY_HIGH = 1
    }
}
