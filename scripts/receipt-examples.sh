#!/usr/bin/env bash
# Type-checks what apps do about receipts (Examples/receipts): Swift against the signatures of Apple's framework, and Kotlin against
# those of Android where there is a compiler (Debian's package kotlin).
#
#   scripts/receipt-examples.sh
set -euo pipefail
# shellcheck source=scripts/lib/common.sh
source "$(dirname "${BASH_SOURCE[0]}")/lib/common.sh"

folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
stubs="$ROOT/scripts/lib/stubs"
swiftc -swift-version 5 -parse-as-library -emit-module -module-name UserNotifications \
    -emit-module-path "$folder/UserNotifications.swiftmodule" "$stubs/UserNotifications.swift"
# An extension and the app are programs of their own, and share a file.
for program in NotificationService ReceiptDelegate; do
    swiftc -swift-version 5 -strict-concurrency=minimal -parse-as-library -typecheck -I "$folder" -Xfrontend -import-module -Xfrontend FoundationNetworking \
        "$ROOT/Examples/receipts/ios/Receipts.swift" "$ROOT/Examples/receipts/ios/$program.swift"
done
note "Swift: all right"
if command -v kotlinc >/dev/null; then
    kotlinc "$stubs"/android/*.kt "$ROOT"/Examples/receipts/android/*.kt -d "$folder/app.jar" 2>&1 | grep -v "warning:" || true
    [[ -s "$folder/app.jar" ]] || fail "the Kotlin examples do not compile"
    note "Kotlin: all right"
else
    note "Kotlin: not checked, there is no compiler here (apt-get install kotlin)"
fi
