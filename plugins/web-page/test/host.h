/* For beside.swift. */
#include <segue/segue.h>
