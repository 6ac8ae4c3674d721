/** Opens the signals' part of the service. */

import type { ServiceContext } from '../opening/serviceContext.ts'
import { openDispatchSignals, openRecordDispatch } from './recordDispatch.ts'
import type { SignalsPart } from './signalsPart.ts'

export function openSignalsPart(context: ServiceContext): SignalsPart {
  return {
    recordDispatch: openRecordDispatch(context),
    dispatchSignals: openDispatchSignals(context),
  }
}
