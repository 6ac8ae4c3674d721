/** Opens the feedback's part of the service. */

import type { ReportMeter } from '../../metrics/reportMeter.ts'
import type { ServiceContext } from '../opening/serviceContext.ts'
import type { FeedbackPart } from './feedbackPart.ts'
import { openListFeedback, openListReportedEvents } from './listReports.ts'
import { openReportEvents, openSendFeedback } from './receiveBatches.ts'

/** `meter` is told of everything that is recorded. */
export function openFeedbackPart(context: ServiceContext, meter: ReportMeter): FeedbackPart {
  return {
    sendFeedback: openSendFeedback(context, meter.feedback),
    reportEvents: openReportEvents(context, meter.events),
    listFeedback: openListFeedback(context),
    listReportedEvents: openListReportedEvents(context),
  }
}
