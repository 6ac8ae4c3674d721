/** Normalizes request signals: drops empty ones, canonicalizes the IP, merges ext (spec 2.3). */

import { isIP } from 'node:net'
import type { FailureDetail } from '../../domain/failure.ts'
import type { Mutable } from '../../domain/mutable.ts'
import { normalizePublicIp } from '../../domain/network/ipAddress.ts'
import type { ExtInput, SignalsInput } from '../../domain/signals/signalSchemas.ts'
import { callerSignals, deviceSignals, type Signals } from '../../domain/signals/signals.ts'
import type { NotCounted } from '../../engine/run/evidence.ts'

type NamedSignals = Omit<SignalsInput, 'ext'>

/** The canonical address at `path`; undefined when absent, or when not public, which is added to the problems. */
export function readIp(
  ip: unknown,
  problems: FailureDetail[],
  path = 'signals.ip',
): string | undefined {
  if (typeof ip !== 'string' || ip === '') return undefined
  const canonical = normalizePublicIp(ip)
  if (canonical === undefined) {
    problems.push({ path, message: 'Must be a public IPv4 or IPv6 address.' })
  }
  return canonical
}

/**
 * Same, for evaluations, which a wrong proxy setting must not stop: an address that is not public is ignored, and only
 * text that is not an address is added to the problems.
 */
export function readEvaluationIp(
  ip: unknown,
  problems: FailureDetail[],
): { readonly ip: string | undefined; readonly notCounted: readonly NotCounted[] } {
  if (typeof ip !== 'string' || ip === '') return { ip: undefined, notCounted: [] }
  const canonical = normalizePublicIp(ip)
  if (canonical === undefined && isIP(ip) !== 0) {
    const notPublic = { name: 'signal.ip', value: ip, source: 'request' } as const
    return { ip: undefined, notCounted: [{ ...notPublic, reason: 'address_not_public' }] }
  }
  if (canonical === undefined) {
    problems.push({ path: 'signals.ip', message: 'Must be an IPv4 or IPv6 address.' })
  }
  return { ip: canonical, notCounted: [] }
}

/** The signals that were sent, with the given address. */
export function pickSignals(signals: NamedSignals, ip: string | undefined): Mutable<Signals> {
  const kept: Mutable<Signals> = {}
  for (const name of deviceSignals) {
    const value = signals[name]
    if (name !== 'ip' && value !== undefined && value !== '') kept[name] = value
  }
  if (ip !== undefined) kept.ip = ip
  for (const name of callerSignals) {
    const value = signals[name]
    if (value !== undefined) kept[name] = value
  }
  return kept
}

/**
 * Caller-defined signals under both their names, as text: `ext` wins, empty values count as omitted; undefined when
 * none is left. A number or a boolean becomes its one text here, before anything is digested or recorded: 900.5 and
 * "900.5" are one request.
 */
export function mergeExt(ext: ExtInput = {}, attributes: ExtInput = {}): Signals['ext'] {
  const merged: Record<string, string> = {}
  let count = 0
  for (const map of [attributes, ext]) {
    for (const key of Object.keys(map)) {
      const value = String(map[key] ?? '')
      if (value === '') continue
      merged[key] = value
      count += 1
    }
  }
  return count > 0 ? merged : undefined
}
