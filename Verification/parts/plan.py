"""Which parts there are: every test of the package in exactly one of them, the longest first."""

import re
import subprocess
from collections.abc import Iterable
from itertools import groupby

from parts.part import Part, swift_tests

# Test targets that take so long that they are split: into suites, or where all are inside of one, into those.
# What no group names is one more.
GROUPS = {
    "FlowTests": (
        r"FlowTests/(Audiences|Bulk|Campaigns|OutcomeFlowTests)/",
        r"FlowTests/(IdentityFlowTests|OperatorFlowTests|OrderFlowTests)/",
    ),
    "WaybillHTTPAPITests": (r"(Account|Notice|Notifire|Own|Service)\w*/",),
    "WaybillAPNSTests": (r"(RehearsalFileTests|DeliveryTests|FaultTests|MemoryTests)/",),
}
# One by one; the rest of the targets are quick and share a process.
ALONE = (
    "FuzzTests",
    "WaybillAMQPTests",
    "WaybillDeliveryLogTests",
    "WaybillPruneTests",
    "WaybillMongoTests",
    "CommandTests",
    "WaybillAccountsTests",
)
# What takes longest of what other tests do in another way, too: it runs with what takes longer, and not in the short form.
LATER = (
    "CommandTests.ServiceManagerTests/reloadAndEnd",
    "FlowTests.FlowTests/AudienceAnswers/whatWaitsIsKnownAndCancelledByItsKey",
    "FlowTests.FlowTests/Audiences/aDeviceThatSaysNothingForCertainIsNamedAndSentNothing",
    "FlowTests.FlowTests/Audiences/fanoutWaitsForTheBulkQueueAndIsCancelledBetweenPages",
    "FlowTests.FlowTests/Audiences/nothingIsMissingAndNothingIsTwiceWithoutItsMark",
    "FlowTests.FlowTests/Audiences/whatIsCancelledInItsQueueIsNotSent",
    "FlowTests.FlowTests/Audiences/whatNoLaneCouldSendIsRefusedBeforeItIsPublished",
    "FlowTests.FlowTests/Audiences/whoHasLoggedOutIsNotReachedAndWithoutALaneIsCounted",
    "FlowTests.FlowTests/Audiences/whoInterruptsASendIsToldWhatMayBeSent",
    "FlowTests.FlowTests/Audiences/whoIsBoundToAppsReachesNoOther",
    "FlowTests.FlowTests/Bulk/othersPassAndBulkIsNotStarved",
    "FlowTests.FlowTests/Campaigns/itIsPausedAndGoesOn",
    "FlowTests.FlowTests/Campaigns/oneTimeZoneIsDoneByItself",
    "FlowTests.FlowTests/Campaigns/ordersHoldWithoutASchedule",
    "FlowTests.FlowTests/Campaigns/whatHasExpiredEndsWhenItIsResumed",
    "FlowTests.FlowTests/Campaigns/whatIsCancelledInTheQueueNeedsNoSchedule",
    "FlowTests.FlowTests/Campaigns/whatWaitsIsCancelled",
    "FlowTests.FlowTests/Campaigns/whoHasNoLaneIsTold",
    "FlowTests.FlowTests/Campaigns/whoIsLeftOutIsSaidAtTheStart",
    "FlowTests.FlowTests/CancelledHandover/nothingOfItIsSent",
    "FlowTests.FlowTests/CrashFlowTests/",
    "FlowTests.FlowTests/FCM/aDeviceSaysWhatBecameOfItsPush",
    "FlowTests.FlowTests/FCM/aLaneThatIsRefusedIsParkedAndNothingIsLost",
    "FlowTests.FlowTests/FCM/bothProvidersSendFromOneDispatcher",
    "FlowTests.FlowTests/FCM/checkReadsTheKeyBuysATokenAndProvesTheProject",
    "FlowTests.FlowTests/FCM/oneAudienceReachesPhonesOfBothKinds",
    "FlowTests.FlowTests/FCM/whoAsksIsToldInTheProvidersOwnWords",
    "FlowTests.FlowTests/FullDiskFlowTests/aKeyThatNobodyHasSeenIsRevoked",
    "FlowTests.FlowTests/IdentityFlowTests/aGivenIDInUseAtTheSameTime",
    "FlowTests.FlowTests/IdentityFlowTests/aGivenIDIsForOneNotification",
    "FlowTests.FlowTests/IdentityFlowTests/aMovedMessageIsRecognised",
    "FlowTests.FlowTests/IdentityFlowTests/aNamelessMessageThatIsHandedOutAgainIsStillASecondNotification",
    "FlowTests.FlowTests/IdentityFlowTests/differentContentUnderOneNameIsTwoNotifications",
    "FlowTests.FlowTests/IdentityFlowTests/theSameBodyOnTwoDaysIsTwoNotifications",
    "FlowTests.FlowTests/OperatorFlowTests/aBrokerThatHangsInTheMiddleOfARunIsToldOf",
    "FlowTests.FlowTests/OperatorFlowTests/aClientThatNobodyNamedIsRefusedWhereTheConfigurationSaysSo",
    "FlowTests.FlowTests/OperatorFlowTests/aSentFileIsSharedOutOverTheNumberedQueues",
    "FlowTests.FlowTests/OperatorFlowTests/aSentFileThatWasInterruptedIsContinuedUnderTheSameIDs",
    "FlowTests.FlowTests/OperatorFlowTests/whatTheBrokerHasRejectedIsNotBelievedOnReplay",
    "FlowTests.FlowTests/OrderFlowTests/aBatchIsCancelledWhileItsLaneIsPaused",
    "FlowTests.FlowTests/OrderFlowTests/aLaneThatIsOrderedToStopStopsInEveryDispatcherUntilItIsResumed",
    "FlowTests.FlowTests/OrderFlowTests/aPausedLaneIsInTheRecordsOfTheItemsThatItHeldBack",
    "FlowTests.FlowTests/OrderFlowTests/aProducerWhoseClockIsAheadIsStopped",
    "FlowTests.FlowTests/OrderFlowTests/whatHasNoAnswerOfACancelledBatchIsNotSentAgain",
    "FlowTests.FlowTests/OrderFlowTests/whatWaitsInADelayQueueEndsBeforeItsDelayIsOver",
    "FlowTests.FlowTests/OrderFlowTests/whatWaitsIsSentWhenACancellationIsLifted",
    "FlowTests.FlowTests/OutcomeFlowTests/aPushThatIsNeverAnsweredIsUnknownOrRepeatedAsTheProducerChose",
    "FlowTests.FlowTests/OutcomeFlowTests/aRefusedLaneParksAloneAndItsMessagesWaitInTheBroker",
    "FlowTests.FlowTests/OutcomeFlowTests/aStoppingDispatcherBeginsNothingThatItCannotSeeAnswered",
    "FlowTests.FlowTests/OutcomeFlowTests/anEndpointWithACertificateOfAnotherAuthorityIsRefused",
    "FlowTests.FlowTests/OutcomeFlowTests/anIdleDispatcherThatWasStoppedAndReplacedIsTold",
    "FlowTests.FlowTests/OutcomeFlowTests/anUnreadableBodyGoesToTheRejectedQueueUntouchedAndTheFlowGoesOn",
    "FlowTests.FlowTests/OutcomeFlowTests/whoLooksIsToldThatTheOnlyDispatcherStops",
    "FlowTests.FlowTests/PhonesOfBothKinds/aCampaignIsMadeForBoth",
    "FlowTests.FlowTests/PhonesOfBothKinds/aDocumentInTheStoreIsMadeForBoth",
    "FlowTests.FlowTests/PhonesOfBothKinds/whoHasNoContentIsCounted",
    "FlowTests.FlowTests/ReasonFlowTests/everyDocumentedReasonLeadsToItsOutcome",
    "FlowTests.FlowTests/ReasonFlowTests/whatADeviceAsksToWaitIsWaited",
    "FlowTests.FlowTests/RejectedFlowTests/aLookAtAFewShufflesNothing",
    "FlowTests.FlowTests/RejectedFlowTests/aReplayUnderAnAlarmSaysWhyAndWhatIsLeft",
    "FlowTests.FlowTests/RejectedFlowTests/anIDThatNoMessageHasIsNotThere",
    "FlowTests.FlowTests/RejectedFlowTests/explainDeniesNoBatchWhoseMessagesSomebodyHolds",
    "FlowTests.FlowTests/RejectedFlowTests/explainSaysThatAQueueIsMissingAndWhatMakesIt",
    "FlowTests.FlowTests/RejectedFlowTests/whatAnotherProcessHoldsIsNotCalledNothing",
    "FlowTests.FlowTests/RejectedFlowTests/whatIsBeyondTheMostThatCanBeSeenStaysBehind",
    "FlowTests.FlowTests/ReloadFlowTests/aRefusedReloadSaysNothingOfItsTrial",
    "FlowTests.FlowTests/Repeats/aCancellationEndsThem",
    "FlowTests.FlowTests/Repeats/ofTwoClientsWithOneIDEachAcknowledgesItsOwn",
    "FlowTests.FlowTests/Repeats/whatIsTooLateIsNotSentAgain",
    "FlowTests.FlowTests/Schedule/aNameThatAnotherAudienceHasIsTold",
    "FlowTests.FlowTests/Schedule/killedAtAnyMomentEachIsSentOnce",
    "FlowTests.FlowTests/Schedule/whatIsCancelledBeforeItIsHandedOverIsNotSent",
    "FlowTests.FlowTests/Schedule/whatIsLaterWaitsAndCanBeCancelled",
    "FlowTests.FlowTests/ServiceSchedule/whatWaitsForItsTimeIsEndedByAnOrder",
    "WaybillAMQPTests.ConnectionTests/heartbeatsRunUnderZeroTimeouts",
    "WaybillAccountsTests.AccountDeletionTests/noServiceIsWithoutAnOwner",
    "WaybillAccountsTests.DerivedKeyEndTests/aKeyThatIsMadeMeanwhileIsNoFormerOwners",
    "WaybillAccountsTests.DerivedKeyEndTests/itEndsWithAnOwnership",
    "WaybillAccountsTests.MemberOrderTests/itIsAsIfOneHadComeAfterTheOther",
    "WaybillDeliveryLogTests.DeliveryGroupsTests/aBatchInRangesIsTheSameBatch",
    "WaybillDeliveryLogTests.DeliveryGroupsTests/ofAnswersThatTookAsLongTheNewestAreTold",
    "WaybillDeliveryLogTests.DeliveryLogWriterTests/manyRecordsOfOthersAmongMoreThanOneBulk",
    "WaybillDeliveryLogTests.DeliveryTailTests/everyFilterHolds",
    "WaybillDeliveryLogTests.QueryPlanTests/aBatchInRangesIsReadOnceByItsIndex",
    "WaybillDeliveryLogTests.QueryPlanTests/noGroupingReadsTheWholeLog",
    "WaybillDeliveryLogTests.StatisticsRollupTests/aLateMinuteIsReadBesideItsHourUntilItIsSummedUp",
    "WaybillDeliveryLogTests.StatisticsRollupTests/aLongTimeReadsSumsAndTheMinutesThatHaveNone",
    "WaybillDeliveryLogTests.StatisticsRollupTests/aMinute",
    "WaybillDeliveryLogTests.StatisticsRollupTests/aRecountReachesHourAndDay",
    "WaybillDeliveryLogTests.StatisticsRollupTests/everyStepIsTheSameByMinutesHoursAndDays",
    "WaybillDeliveryLogTests.StatisticsRollupTests/oneWhoWasStoppedSpoilsNothing",
    "WaybillDeliveryLogTests.StatisticsRollupTests/whatIsLetGoIsToldByHoursAndThenByDays",
    "WaybillDeviceRegistryTests.ClockSkewTests/theLatestWordCounts",
    "WaybillDeviceRegistryTests.CrowdedPhoneTests/nobodyWhoIsLetInIsLeftOut",
    "WaybillDeviceRegistryTests.DevicePageTests/eachDeviceComesOnceInTheOrderOfTheirIDs",
    "WaybillDeviceRegistryTests.DeviceRegistryWriterTests/theRegistryFollowsTheDecision",
    "WaybillDeviceRegistryTests.DeviceUpgradeTests/theWorkerMayRunBesideIt",
    "WaybillDeviceRegistryTests.FuseStoreTests/aDecisionIsAboutAllThatIsThere",
    "WaybillDeviceRegistryTests.PhoneLogInTests/aStrangerBesideTwoPeopleOfOnePhone",
    "WaybillDeviceRegistryTests.PhoneLogInTests/anotherPersonsTokenBesideTheOwn",
    "WaybillDeviceRegistryTests.PhoneLogInTests/manyAtOnceLoseNoPhone",
    "WaybillDeviceRegistryTests.PhoneLogInTests/oneTokenIsOnePhoneInAnyOrder",
    "WaybillDeviceRegistryTests.PhoneLogInTests/twoTokensAreNeverOnePhone",
    "WaybillDeviceRegistryTests.SharedPhoneTests/aTokenThatComesBackIsOfWhoeverBringsIt",
    "WaybillDeviceRegistryTests.SharedPhoneTests/nobodyChangesWhatOthersAreTold",
    "WaybillDeviceRegistryTests.SharedPhoneTests/twoAtOnceAreOneAfterTheOther",
    "WaybillFCMTests.FCMFlowTests/holdsWithoutATokenAndRecovers",
    "WaybillFCMTests.FCMHeldTests/awayTokenEndpoint",
    "WaybillFCMTests.FCMObservationTests/refusesProxies",
    "WaybillFleetTests.OrderStoreTests/anOrderThatIsNotUnderstoodHoldsForNothing",
    "WaybillFleetTests.OrderStoreTests/soManyHoldOfOneClientAndInAll",
    "WaybillHTTPAPITests.AccountDepartureTests/oneThatIsDecidedIsEndedByAnybody",
    "WaybillHTTPAPITests.AccountRoutesTests/whoHasNotLoggedInSeesNothing",
    "WaybillHTTPAPITests.AndroidPhoneTests/aPhoneThatIsNotReachedIsRefused",
    "WaybillHTTPAPITests.AndroidPhoneTests/allOfAPersonsPhonesAreTold",
    "WaybillHTTPAPITests.AndroidPhoneTests/whatTestKeysSayGoesToTheirLanes",
    "WaybillHTTPAPITests.EventRoutesTests/whatWasMissedEndsWhereTheStoreSays",
    "WaybillHTTPAPITests.EverybodyTests/eachMayDoWhatTheTableOfTheThesisSays",
    "WaybillHTTPAPITests.EverybodyTests/eachMayDoWhatTheTableSays",
    "WaybillHTTPAPITests.HalfDoneTests/aChangeOfAMemberIsTold",
    "WaybillHTTPAPITests.HalfDoneTests/aServiceThatIsDeletedEnds",
    "WaybillHTTPAPITests.NameHintTests/anEmptyAnswerNamesWhatThereIs",
    "WaybillHTTPAPITests.NoticeRoutesTests/whatIsNotAllowedIsRefusedAndWhoIsNotToldIsNoted",
    "WaybillHTTPAPITests.NoticeSampleTests/theShellAsksAgainWhatMayPass",
    "WaybillHTTPAPITests.NoticeSampleTests/theyAskOnceWhatIsRefused",
    "WaybillHTTPAPITests.NoticeSampleTests/theyNotify",
    "WaybillHTTPAPITests.NotifireNotifyTests/manyAtOnceAreOneNotificationEach",
    "WaybillHTTPAPITests.NotifireNotifyTests/whatWasLeftIsHandedOver",
    "WaybillHTTPAPITests.NotifireNotifyTests/whatWasNotHandedOverIsWrittenAsAWhole",
    "WaybillHTTPAPITests.NotifireServiceTests/anAccountWaitsWithItselfWhereverItAsks",
    "WaybillHTTPAPITests.RejectedRoutesTests/whatAnotherProcessHoldsIsNotCalledNothing",
    "WaybillHTTPAPITests.RequestFormTests/nothingIsServedBehindTheLastAnswer",
    "WaybillHTTPAPITests.TailRoutesTests/aStoreThatSaysNothingIsNotCalledAlive",
    "WaybillHTTPAPITests.TailRoutesTests/whoTakesTooLittleIsDroppedAndNobodyWaits",
    "WaybillPruneTests.ClocksTests/aDecisionIsAboutWhatIsHeldWhateverTheClocksSay",
    "WaybillPruneTests.ClocksTests/aStormByAnotherClockIsTakenBack",
    "WaybillPruneTests.ClocksTests/suspectsOfAStormByAnotherClockAreNoneAnyMore",
    "WaybillPruneTests.ClocksTests/whatIsCountedAfterLongDoubtIsSeen",
    "WaybillPruneTests.ClocksTests/whatWasCarriedOutBeforeAnAbsenceIsTakenBack",
    "WaybillPruneTests.ClocksTests/whatWasReleasedBeforeAnAbsenceStaysReleased",
    "WaybillPruneTests.StormsInTurnTests/aStormIsJudgedAfterADecisionWasFollowed",
    "WaybillPruneTests.StormsInTurnTests/theRestOfADecisionsMinuteIsNoPartOfTheNextStorm",
    "WaybillPruneTests.StormsInTurnTests/topicsByTheThousandHideNoStorm",
    "WaybillPruneTests.TokenFuseTests/aStormAfterADiscardDisablesNobodyInTheSameMinute",
    "WaybillPruneTests.TokenFuseTests/aTrickleIsCarriedOutAtOnce",
    "WaybillPruneTests.TokenFuseTests/noTokenOfAStormHasATombstone",
    "WaybillPruneTests.TokenFuseTests/severalProcessesFollowOneDecision",
    "WaybillPruneTests.TokenFuseTests/whatIsReleasedIsCarriedOutByTheUsualChecks",
)
# So many of them share a process at the most.
MOST_OF_LATER = 12
# The rest of the targets, in one process.
OTHERS = "all other tests"
# What takes longest is begun first, so that it does not go on alone at the end; the others follow in their order.
LONGEST = (
    OTHERS,
    "WaybillHTTPAPITests 1",
    "WaybillHTTPAPITests 2",
    "WaybillDeliveryLogTests",
    "FlowTests 1",
    "FlowTests 2",
    "FlowTests 3",
    "WaybillAPNSTests 2",
    "WaybillAccountsTests",
)


def list_tests(bundle: str) -> list[str]:
    """The ids of all tests: Target.Suite/…/test(), one for each function."""
    done = subprocess.run([bundle, "--testing-library", "swift-testing", "--list-tests"], capture_output=True, text=True)
    ids = [line for line in done.stdout.splitlines() if re.match(r"\w+\.", line)]
    if done.returncode != 0 or not ids:
        raise RuntimeError(f"{bundle} lists no tests: {done.stderr[-2000:]}")
    return ids


def later_parts(bundle: str) -> list[Part]:
    """The Swift tests that the short form leaves out: of each target a few in a process, and the fullest processes first."""
    parts = []
    for target, group in groupby(LATER, key=lambda name: name.partition(".")[0]):
        names = list(group)
        count = -(-len(names) // MOST_OF_LATER)
        parts += [(f"{target}, what takes long {number + 1}", names[number::count]) for number in range(count)]
    parts.sort(key=lambda part: -len(part[1]))
    return [tests(bundle, name, [rf"^{re.escape(one)}" for one in names]) for name, names in parts]


def swift_parts(bundle: str) -> list[Part]:
    """The Swift tests of the short form, each in one part. In every process one test after the other, because many hold a
    thread while a real server works, and the pool of threads is as small as the machine."""
    ids = list_tests(bundle)
    gone = [name for name in LATER if not any(one.startswith(name) for one in ids)]
    if gone:
        raise RuntimeError(f"LATER names tests that are not there: {', '.join(gone)}")
    targets = {one.partition(".")[0] for one in ids}
    later = [rf"^{re.escape(name)}" for name in LATER]
    parts = [part for target in GROUPS if target in targets for part in split(bundle, target, GROUPS[target], later)]
    parts += [tests(bundle, target, [rf"^{target}\."], later) for target in ALONE if target in targets]
    named = "|".join((*GROUPS, *ALONE))
    parts.append(tests(bundle, OTHERS, [r"."], [rf"^({named})\.", *later]))
    return sorted(parts, key=lambda part: LONGEST.index(part.name) if part.name in LONGEST else len(LONGEST))


def split(bundle: str, target: str, groups: Iterable[str], later: list[str]) -> list[Part]:
    patterns = [rf"^{target}\.{group}" for group in groups]
    parts = [
        tests(bundle, f"{target} {number + 1}", [pattern], patterns[:number] + later) for number, pattern in enumerate(patterns)
    ]
    return parts + [tests(bundle, f"{target} {len(patterns) + 1}", [rf"^{target}\."], patterns + later)]


def tests(bundle: str, name: str, wanted: list[str], unwanted: Iterable[str] = ()) -> Part:
    """The tests whose ids match one of `wanted` and none of `unwanted`."""
    command = [bundle, "--testing-library", "swift-testing", "--no-parallel"]
    for option, patterns in (("--filter", wanted), ("--skip", unwanted)):
        for pattern in patterns:
            command += [option, pattern]
    return Part(name, tuple(command), swift_tests)
