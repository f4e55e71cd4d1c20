/**
 * @file segue/offer.h
 * An offer: what another device, or another application of this one, has open and this application may continue. With
 * it a menu of your own can say "Continue from desk…".
 *
 *     static void offers_changed(segue_application *app, void *userdata) {
 *       segue_offer **offers;
 *       size_t count;
 *       if (segue_application_copy_offers(app, &offers, &count) < 0) return;
 *       for (size_t i = 0; i < count; i++) {
 *         add_to_menu(segue_offer_get_device_name(offers[i]), segue_offer_get_title(offers[i]), offers[i]);
 *         segue_offer_unref(offers[i]);
 *       }
 *       segue_free(offers);
 *     }
 *
 * An application sees what it may continue itself, and nothing else: activities of its own id on other devices, of
 * types that it declares here; and those of other applications of its team, on other devices and on this one. The list
 * leaves out an activity that was continued already, until it changes. The desktop shows offers of other devices by
 * itself, whether an application lists them or not.
 *
 * An offer object never changes: another object replaces it when the offer does. The user's daemon keeps the list up to
 * date from the moment that the delegate has offers_changed (segue/application.h), or that the application first calls
 * segue_application_copy_offers; it sends nothing to an application that does neither. While the daemon is gone the
 * list is empty, since nothing can be chosen.
 */
#ifndef SEGUE_OFFER_H
#define SEGUE_OFFER_H

#include "base.h"

SEGUE_BEGIN_DECLS
SEGUE_BEGIN_NONNULL

/** Adds a reference. [any-thread] */
segue_offer *segue_offer_ref(segue_offer *offer);
/** Drops a reference; returns NULL. [any-thread] */
segue_offer *SEGUE_NULLABLE segue_offer_unref(segue_offer *SEGUE_NULLABLE offer);

/* The activity on offer. Text is borrowed from the offer, "" where there is none. [any-thread] */

/** Says which offer it is: the same text for the same activity of the same device, in each list, and for nothing else.
 * Its format is not part of the interface. */
const char *segue_offer_get_id(const segue_offer *offer);
/** The activity type. */
const char *segue_offer_get_activity_type(const segue_offer *offer);
/** The activity's title, fit to be shown on one line. */
const char *segue_offer_get_title(const segue_offer *offer);
/** The host of its web page. */
const char *segue_offer_get_web_host(const segue_offer *offer);
/** The id of the application that the activity is of: often this one's own. */
const char *segue_offer_get_app_id(const segue_offer *offer);
/** The name of that application on this device. */
const char *segue_offer_get_app_name(const segue_offer *offer);
/** Stands for the device: the same text for all that comes from it. Other applications have another for it. */
const char *segue_offer_get_device_id(const segue_offer *offer);
/** The name of the device, as its user or this one calls it; of this device if it is from here. */
const char *segue_offer_get_device_name(const segue_offer *offer);
/** Whether another application of this device has it open. */
bool segue_offer_is_here(const segue_offer *offer);
/** Whether its state is as it was last saved, since the application there has ended, or its device is out of reach.
 * Otherwise it is as it will be when it is chosen. */
bool segue_offer_is_stored(const segue_offer *offer);
/** Milliseconds since this device first saw it, or, for one that it keeps for a device out of reach, since it was
 * stored. */
int segue_offer_get_age(const segue_offer *offer, uint64_t *out_milliseconds);

/**
 * The user has chosen the offer: this application continues it, as after a choice anywhere else. will_continue comes,
 * to the process that owns the application's name, then continue_activity or did_fail. A second choice of the same
 * offer joins the first. A choice of another offer, or of the same one for another application, replaces the first,
 * which fails with SEGUE_ERROR_USER_CANCELLED. An offer that has left the list a moment ago can still be chosen.
 * [application-thread]
 * @param activation_token with which a window may take the focus, if the application has one from its own window or its
 *     toolkit: segue_continuation_get_activation_token gives it back. NULL for none; at most 512 bytes, else -E2BIG.
 * @param completion called with NULL when will_continue has come, after which the delegate is notified of the rest; or
 *     with the reason why it will not come. Only the completion can tell the user that the offer is gone
 *     (SEGUE_ERROR_NOT_FOUND) or the daemon is (SEGUE_ERROR_CONNECTION_UNAVAILABLE); the desktop too shows failures
 *     that come later, of a launch for instance. Called once, not if this call fails. NULL: no notification.
 * @return -E2BIG too while 16 choices are on their way.
 */
int segue_offer_continue(
    segue_offer *offer, const char *SEGUE_NULLABLE activation_token,
    segue_completion_function SEGUE_NULLABLE completion, void *SEGUE_NULLABLE userdata,
    segue_destroy_function SEGUE_NULLABLE destroy);

SEGUE_END_NONNULL
SEGUE_END_DECLS

#endif
