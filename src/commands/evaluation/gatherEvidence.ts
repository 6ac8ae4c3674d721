/** What arrived for an evaluation: the request, its dispatch, the user agent, the lists and the clock, with the source of each value. */

import {
  type CallerSignal,
  callerSignals,
  type DeviceSignal,
  deviceSignals,
  type Signals,
} from '../../domain/signals.ts'
import type { Target } from '../../domain/target.ts'
import { parseUserAgent } from '../../domain/userAgent.ts'
import { userAgentSignals } from '../../engine/language/names.ts'
import type { EvidenceItem, EvidenceSource } from '../../engine/run/evidence.ts'

export interface Arrived {
  readonly target: Target
  readonly signals: Signals
  /** The signals of the dispatch; empty for one that is unknown, undefined when none was named. */
  readonly dispatch: Signals | undefined
  readonly lists: { readonly allow: boolean; readonly block: boolean }
  /** Whether the operator has agreed the trusted-user signal with the account (design 4.8). */
  readonly trustedUserAgreed: boolean
  /** Milliseconds since the Unix epoch. */
  readonly time: number
}

/**
 * The evidence by name. Device and network signals count only with a dispatch, whose values win over the request's (spec 2.1,
 * 2.3); what both leave out the user agent may tell, when `reads` asks for it. An empty text did not arrive.
 */
export function gatherEvidence(
  arrived: Arrived,
  reads: ReadonlySet<string>,
): Map<string, EvidenceItem> {
  const evidence = new Map<string, EvidenceItem>()
  gatherTarget(evidence, arrived.target)
  if (arrived.dispatch) gatherDevice(evidence, arrived.dispatch, arrived.signals)
  if (arrived.dispatch) gatherUserAgent(evidence, reads)
  gatherCaller(evidence, arrived)
  evidence.set('list.allow', { value: arrived.lists.allow, source: 'list' })
  evidence.set('list.block', { value: arrived.lists.block, source: 'list' })
  evidence.set('request.time', { value: arrived.time, source: 'service' })
  return evidence
}

type Gathered = Map<string, EvidenceItem>

function put(
  evidence: Gathered,
  name: string,
  ...[value, source]: readonly [string | boolean | undefined, EvidenceSource]
): void {
  if (value !== undefined && value !== '') evidence.set(name, { value, source })
}

function gatherTarget(evidence: Gathered, target: Target): void {
  put(evidence, 'target.phone_number', target.phone_number, 'request')
  put(evidence, 'target.email_address', target.email_address, 'request')
}

function gatherDevice(evidence: Gathered, dispatch: Signals, request: Signals): void {
  for (const signal of deviceSignals) {
    const own = dispatch[signal]
    if (own !== undefined && own !== '') put(evidence, nameOf(signal), own, 'dispatch')
    else put(evidence, nameOf(signal), request[signal], 'request')
  }
}

function gatherUserAgent(evidence: Gathered, reads: ReadonlySet<string>): void {
  const wanted = userAgentSignals.filter(
    (signal) => reads.has(nameOf(signal)) && !evidence.has(nameOf(signal)),
  )
  const text = evidence.get('signal.user_agent')?.value
  if (wanted.length === 0 || typeof text !== 'string') return
  const parsed = parseUserAgent(text)
  for (const signal of wanted) put(evidence, nameOf(signal), parsed[signal], 'user_agent')
}

/** These are the caller's word: what a front end claims of them through a dispatch does not count. */
function gatherCaller(evidence: Gathered, { signals, trustedUserAgreed }: Arrived): void {
  for (const signal of callerSignals) {
    if (signal === 'is_trusted_user' && !trustedUserAgreed) continue
    put(evidence, nameOf(signal), signals[signal], 'request')
  }
  const { ext = {} } = signals
  for (const key of Object.keys(ext)) put(evidence, `signal.ext.${key}`, ext[key], 'request')
}

const names = Object.fromEntries(
  [...deviceSignals, ...callerSignals].map((signal) => [signal, `signal.${signal}`]),
) as Readonly<Record<DeviceSignal | CallerSignal, string>>

function nameOf(signal: DeviceSignal | CallerSignal): string {
  return names[signal]
}
