package com.example.app

import com.google.firebase.messaging.FirebaseMessagingService
import com.google.firebase.messaging.RemoteMessage

/**
 * Takes data messages: shows them first, and then says that they have come.
 *
 * Of messages of high priority, the system gives a few seconds. So the receipt is work for WorkManager, which waits for a network.
 */
class ReceiptMessagingService : FirebaseMessagingService() {
    override fun onMessageReceived(message: RemoteMessage) {
        val id = message.data["wb_id"]
        // A push can come twice, and is shown once.
        if (id != null && !Alerts.isNew(this, id)) return
        Alerts.show(this, message.data)
        val receipts = Receipts.of(message.data) ?: return
        val priority = if (message.priority == RemoteMessage.PRIORITY_HIGH) "high" else "normal"
        val asked = if (message.originalPriority == RemoteMessage.PRIORITY_HIGH) "high" else "normal"
        receipts.say(this, "received", priority, asked)
        receipts.say(this, "displayed")
    }

    override fun onNewToken(token: String) = Alerts.register(this, token)
}
