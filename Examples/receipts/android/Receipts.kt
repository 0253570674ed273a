package com.example.app

import android.content.Context
import androidx.work.Constraints
import androidx.work.Data
import androidx.work.ExistingWorkPolicy
import androidx.work.NetworkType
import androidx.work.OneTimeWorkRequest
import androidx.work.WorkManager
import androidx.work.Worker
import androidx.work.WorkerParameters
import java.io.IOException
import java.net.HttpURLConnection
import java.net.URL
import java.util.concurrent.TimeUnit
import kotlin.random.Random

/** Says what became of a message on this device; make one with [of]. */
class Receipts private constructor(private val id: String, private val capability: String) {
    /**
     * Says it as soon as there is a network, and again until it is said.
     *
     * @param event received, displayed, opened, acknowledged or dismissed.
     * @param priority with which it came: high or normal.
     * @param asked with which it was sent.
     */
    fun say(context: Context, event: String, priority: String? = null, asked: String? = null) {
        val receipt = Data.Builder()
            .putString("id", id).putString("cap", capability).putString("event", event)
            .putLong("at", System.currentTimeMillis())
            .putString("prio", priority).putString("prio_asked", asked)
            .build()
        // A campaign reaches all phones within seconds. What somebody has done is said at once.
        val delay = if (event == "received" || event == "displayed") Random.nextLong(10_000) else 0L
        val work = OneTimeWorkRequest.Builder(ReceiptWorker::class.java)
            .setInputData(receipt)
            .setInitialDelay(delay, TimeUnit.MILLISECONDS)
            .setConstraints(Constraints.Builder().setRequiredNetworkType(NetworkType.CONNECTED).build())
            .build()
        WorkManager.getInstance(context).enqueueUniqueWork("$id/$event", ExistingWorkPolicy.KEEP, work)
    }

    companion object {
        /** Of a message's data, or of the extras of the intent that it opened; null where it asks for nothing. */
        fun of(data: Map<String, String>): Receipts? {
            return Receipts(data["wb_id"] ?: return null, data["wb_rcpt"] ?: return null)
        }
    }
}

/** Posts one receipt. */
class ReceiptWorker(context: Context, parameters: WorkerParameters) : Worker(context, parameters) {
    override fun doWork(): Result {
        val status = try {
            post(body())
        } catch (error: IOException) {
            return Result.retry()
        }
        // 400, 403, 410 and 413 are final.
        return if (status == 429 || status >= 500) Result.retry() else Result.success()
    }

    private fun body(): String {
        val texts = listOf("id", "cap", "event", "prio", "prio_asked").mapNotNull { name ->
            // None of them needs an escape.
            inputData.getString(name)?.let { "\"$name\":\"$it\"" }
        }
        return texts.joinToString(",", "{", ",\"at\":${inputData.getLong("at", 0)},\"app\":\"${BuildConfig.VERSION_NAME}\"}")
    }

    private fun post(body: String): Int {
        val connection = URL(SERVER).openConnection() as HttpURLConnection
        try {
            connection.requestMethod = "POST"
            connection.connectTimeout = 10_000
            connection.readTimeout = 10_000
            connection.doOutput = true
            connection.setRequestProperty("Content-Type", "application/json")
            connection.outputStream.use { it.write(body.toByteArray()) }
            return connection.responseCode
        } finally {
            connection.disconnect()
        }
    }

    private companion object {
        const val SERVER = "https://push.example.com/v1/receipts"
    }
}
