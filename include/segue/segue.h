/**
 * @file segue/segue.h
 * Segue: continue on this device what you were doing on another. Includes all of the library.
 */
#ifndef SEGUE_SEGUE_H
#define SEGUE_SEGUE_H

#include "base.h"
#include "version.h"
#include "error.h"
#include "value.h"
#include "activity.h"
#include "responder.h"
#include "window.h"
#include "document.h"
#include "continuation.h"
#include "restoration.h"
#include "offer.h"
#include "stream.h"
#include "application.h"
#include "hosting.h"

#endif
