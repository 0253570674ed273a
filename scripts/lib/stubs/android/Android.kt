// What the examples use of Android, so that they can be type-checked where it is not: signatures alone.
@file:Suppress("UNUSED_PARAMETER", "unused")

package android.content

open class Context
