// What the example leaves to the app: signatures alone.
@file:Suppress("UNUSED_PARAMETER", "unused")

package com.example.app

import android.content.Context

object Alerts {
    fun isNew(context: Context, id: String): Boolean = true
    fun show(context: Context, data: Map<String, String>) {}
    fun register(context: Context, token: String) {}
}

object BuildConfig {
    const val VERSION_NAME = "1.0"
}
