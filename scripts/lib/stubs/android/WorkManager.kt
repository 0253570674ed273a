// What the examples use of WorkManager: signatures alone.
@file:Suppress("UNUSED_PARAMETER", "unused")

package androidx.work

import android.content.Context
import java.util.concurrent.TimeUnit

class Data {
    fun getString(key: String): String? = null
    fun getLong(key: String, defaultValue: Long): Long = defaultValue

    class Builder {
        fun putString(key: String, value: String?): Builder = this
        fun putLong(key: String, value: Long): Builder = this
        fun build(): Data = Data()
    }
}

enum class NetworkType { CONNECTED }

enum class ExistingWorkPolicy { KEEP }

class Constraints {
    class Builder {
        fun setRequiredNetworkType(type: NetworkType): Builder = this
        fun build(): Constraints = Constraints()
    }
}

class WorkerParameters

abstract class Worker(context: Context, parameters: WorkerParameters) {
    val inputData: Data get() = Data()
    abstract fun doWork(): Result

    class Result {
        companion object {
            fun success(): Result = Result()
            fun retry(): Result = Result()
        }
    }
}

class OneTimeWorkRequest {
    class Builder(worker: Class<out Worker>) {
        fun setInputData(data: Data): Builder = this
        fun setInitialDelay(duration: Long, unit: TimeUnit): Builder = this
        fun setConstraints(constraints: Constraints): Builder = this
        fun build(): OneTimeWorkRequest = OneTimeWorkRequest()
    }
}

class WorkManager {
    fun enqueueUniqueWork(name: String, policy: ExistingWorkPolicy, work: OneTimeWorkRequest) {}

    companion object {
        fun getInstance(context: Context): WorkManager = WorkManager()
    }
}
