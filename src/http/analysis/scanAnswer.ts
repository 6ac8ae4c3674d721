/** Declares the parameters of scans, and streams an answer with its progress before it. */

import type { ScanStep } from '../../queries/analysis/scan/scan.ts'
import { whereMax } from '../../queries/analysis/scan/where.ts'
import { timeRangeParameters } from '../request/filterParameters.ts'
import { choiceParameter, textParameter, withFallback } from '../request/queryReader.ts'

/** `where`, `from` and `to`. */
export const scanParameters = {
  where: textParameter(
    'where',
    'Conditions joined by `and`, such as `verdict = FLAG and signal.ext.shop_country != FR`; see the guide.',
    whereMax.chars,
  ),
  ...timeRangeParameters,
}

/** `lists` of a backtest. */
export const listsParameter = withFallback(
  choiceParameter(
    'lists',
    ['then', 'now'],
    'What lists and calls answer: as it is on record (`then`), or asked anew (`now`).',
  ),
  'then',
)

/** `format` of an answer that is one value: `ndjson` says first how far it is. */
export const progressFormat = withFallback(
  choiceParameter(
    'format',
    ['json', 'ndjson'],
    'The form of the answer: one JSON value, or lines of which all but the last say how far it is.',
  ),
  'json',
)

interface FoldedSum<Folded> {
  readonly add: (folded: Folded) => void
  readonly result: () => object | Promise<object>
  /** What NDJSON has a line for, before the progress of its step. */
  readonly lines?: (folded: Folded) => readonly object[]
}

/**
 * An answer that is made of every step: `join` makes the value of them. While the scan lasts, JSON has a space for each
 * step, and NDJSON a line `{"progress": …}` before the last one, `{"result": …}`. Both have a space for every ten
 * seconds without a step, since a silent connection is cut.
 */
export async function* streamFolded<Folded>(
  steps: AsyncIterable<ScanStep<Folded>>,
  format: 'json' | 'ndjson',
  sum: FoldedSum<Folded>,
): AsyncGenerator<string, void, undefined> {
  for await (const step of addBeats(steps)) {
    if (!step) {
      yield ' '
      continue
    }
    const { folded, scanned, matched, done } = step
    sum.add(folded)
    if (format === 'ndjson') {
      for (const line of sum.lines?.(folded) ?? []) yield `${JSON.stringify(line)}\n`
    }
    yield format === 'json' ? ' ' : `${JSON.stringify({ progress: { scanned, matched, done } })}\n`
  }
  const result = await sum.result()
  yield format === 'json' ? JSON.stringify(result) : `${JSON.stringify({ result })}\n`
}

const silentMs = 10_000

/** The steps, and undefined whenever the next one takes so long. */
async function* addBeats<Step>(
  steps: AsyncIterable<Step>,
): AsyncGenerator<Step | undefined, void, undefined> {
  const iterator = steps[Symbol.asyncIterator]()
  let next = iterator.next()
  try {
    for (;;) {
      const found = await waitBriefly(next)
      if (found?.done) return
      yield found?.value
      if (found) next = iterator.next()
    }
  } finally {
    // a step under way is given up with its caller
    next.catch(() => undefined)
    await iterator.return?.()
  }
}

/** What is waited for; undefined where it takes too long. */
function waitBriefly<Value>(awaited: Promise<Value>): Promise<Value | undefined> {
  return new Promise((resolve, reject) => {
    const timer = setTimeout(resolve, silentMs, undefined)
    awaited.then(resolve, reject).finally(() => clearTimeout(timer))
  })
}

export const jsonType = 'application/json; charset=utf-8'
export const ndjsonType = 'application/x-ndjson; charset=utf-8'

/** The other type of an answer in `progressFormat`, with an example. */
export const progressTypes = {
  'application/x-ndjson': '{"progress":{"scanned":2000,"matched":40,"done":0.5}}\n{"result":{}}\n',
}

/** The chunks once the first is there: what cannot be scanned at all is refused before the answer begins. */
export async function beginStream(
  chunks: AsyncGenerator<string, void, undefined>,
): Promise<AsyncIterable<string>> {
  const first = await chunks.next()
  return continueStream(first, chunks)
}

async function* continueStream(
  first: IteratorResult<string, void>,
  rest: AsyncIterable<string>,
): AsyncGenerator<string, void, undefined> {
  if (first.done) return
  yield first.value
  yield* rest
}
