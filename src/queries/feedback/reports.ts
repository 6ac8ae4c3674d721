/** What callers have reported of end users, as it is kept: what is personal in it sealed. */

import type { Page } from '../../domain/call.ts'
import { type FeedbackDocument, feedbackCollection } from '../../projections/feedback/feedback.ts'
import {
  type ReportedEventDocument,
  reportedEventCollection,
} from '../../projections/feedback/reportedEvents.ts'
import type { Found, Readers } from '../reading/documents.ts'
import { type Search, searchPage } from '../reading/searchPage.ts'

export type FeedbackSought = Search<FeedbackDocument>
export type ReportedEventsSought = Search<ReportedEventDocument>

/** Feedback in the order of time. Throws `Failure` `invalid_request` for what is no cursor of the search, `unavailable`. */
export function searchFeedback(
  readers: Readers,
  sought: FeedbackSought,
): Promise<Page<Found<FeedbackDocument>>> {
  return searchPage(readers, feedbackCollection, sought)
}

/** The same of events. */
export function searchReportedEvents(
  readers: Readers,
  sought: ReportedEventsSought,
): Promise<Page<Found<ReportedEventDocument>>> {
  return searchPage(readers, reportedEventCollection, sought)
}
