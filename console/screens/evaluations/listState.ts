/** Reads and writes what is listed as the parameters of the address, and as the question to the API. */

import { serverNowMs } from '../../api/client.ts'

const ranges = {
  '1h': 3_600_000,
  '24h': 86_400_000,
  '7d': 604_800_000,
  '30d': 2_592_000_000,
} as const
export type Range = keyof typeof ranges

/** All that decides what is listed; a text that is not set is empty. */
export interface ListState {
  readonly where: string
  readonly flow: string
  readonly verdict: '' | 'PASS' | 'FLAG'
  /** The last hours or days; or `fixed`, from `from` to `to`. */
  readonly range: Range | 'fixed'
  readonly from: string
  readonly to: string
  /** Name whose most frequent values are shown: they are counted when they are asked for. */
  readonly top: string
  /** The newest page; `oldest`; or `older_` or `newer_` with the id of the evaluation that it lies behind. */
  readonly page: string
  /** Id of the evaluation that was opened last. */
  readonly row: string
}

export const blankState: ListState = {
  where: '',
  flow: '',
  verdict: '',
  range: '7d',
  from: '',
  to: '',
  top: '',
  page: '',
  row: '',
}

const isTime = (text: string) => /^\d{4}-\d\d-\d\dT/.test(text) && !Number.isNaN(Date.parse(text))

const accepts: Readonly<Record<string, (text: string) => boolean>> = {
  where: () => true,
  flow: (text) => /^flo_[0-9a-z]{26}$/.test(text),
  verdict: (text) => text === 'PASS' || text === 'FLAG',
  range: (text) => text in ranges || text === 'fixed',
  from: isTime,
  to: isTime,
  top: (text) => text.length <= 512,
  page: (text) => /^(?:oldest|(?:older|newer)_evl_[0-9a-z]{26})$/.test(text),
  row: (text) => /^evl_[0-9a-z]{26}$/.test(text),
}

/** The state of the address; names that mean nothing and bad values are left out and told. */
export function readState(query: URLSearchParams): {
  readonly state: ListState
  readonly ignored: readonly string[]
} {
  const ignored: string[] = []
  const state: Record<string, string> = { ...blankState }
  for (const [name, text] of query) {
    if (accepts[name]?.(text)) state[name] = text
    else ignored.push(name)
  }
  if (state['range'] === 'fixed' && !(state['from'] && state['to']))
    state['range'] = blankState.range
  return { state: state as unknown as ListState, ignored }
}

/** Only what differs from a blank state. */
export function writeState(state: ListState): Readonly<Record<string, string>> {
  const changed = Object.entries(state).filter(
    ([name, value]) => value !== blankState[name as keyof ListState],
  )
  return Object.fromEntries(changed)
}

/** Beginning and end in time; a link to them shows the same tomorrow. */
export function spanOf(
  { range, from, to }: ListState,
  nowMs = serverNowMs(),
): { readonly from: string; readonly to: string } {
  if (range === 'fixed') return { from, to }
  return { from: new Date(nowMs - ranges[range]).toISOString(), to: new Date(nowMs).toISOString() }
}

/** The conditions of all filters together. */
export function whereOf({
  where,
  flow,
  verdict,
}: Pick<ListState, 'where' | 'flow' | 'verdict'>): string {
  const conditions = [where.trim(), flow && `flow = ${flow}`, verdict && `verdict = ${verdict}`]
  return conditions.filter((one) => one !== '').join(' and ')
}

/** What was typed into the one search box: an evaluation to open, or conditions. */
export function readSearch(typed: string): { readonly open: string } | { readonly where: string } {
  const text = typed.trim()
  if (/^evl_[0-9a-z]{26}$/.test(text)) return { open: text }
  if (text === '' || /[=<>]/.test(text)) return { where: text }
  if (/^\+?[\d\s().-]{6,}$/.test(text) && !/^\d+(?:\.\d+){3}$/.test(text)) {
    return { where: `phone = ${JSON.stringify(text.replaceAll(/[^\d+]/g, ''))}` }
  }
  if (text.includes('@')) return { where: `email = ${JSON.stringify(text)}` }
  if (/^[\da-f:.]+$/i.test(text)) return { where: `ip = ${text}` }
  return { where: `correlation_id = ${JSON.stringify(text)}` }
}
