/** Reads an answer of one JSON value a line, as it comes. */

import { useEffect, useRef, useState } from 'preact/hooks'
import { send } from './client.ts'

/** Ends when the answer does; throws `ApiFailure` where it is refused, and the reason when it is aborted. */
async function* readLines<Line>(url: string, signal: AbortSignal): AsyncGenerator<Line> {
  const { body } = await send(url, { signal })
  if (!body) return
  const reader = body.pipeThrough(new TextDecoderStream()).getReader()
  let rest = ''
  for (let step = await reader.read(); !step.done; step = await reader.read()) {
    const lines = (rest + step.value).split('\n')
    rest = lines.pop() ?? ''
    for (const line of lines) yield JSON.parse(line) as Line
  }
}

/** What a scan has come to so far. */
export interface Found<Row, Result> {
  /** The first ones, as many as are kept. */
  readonly rows: readonly Row[]
  readonly progress?: { readonly scanned: number; readonly done: number }
  /** Absent until the scan is over. */
  readonly result?: Result
  readonly failure?: Error
  readonly isStopped?: true
}

const nothing = { rows: [] }

type Line<Row, Result> = Pick<Found<Row, Result>, 'progress' | 'result'> &
  Readonly<Record<string, Row | undefined>>

/** Follows a scan whose lines are rows of this name, its progress, and at last its result. Leaving the page ends it. */
export function useScan<Row, Result>(
  url: string | undefined,
  { rowName = '', rowsMax = Number.POSITIVE_INFINITY } = {},
): Found<Row, Result> & { readonly stop: () => void; readonly again: () => void } {
  const [attempt, setAttempt] = useState(0)
  const key = `${attempt} ${url}`
  const [last, set] = useState<{ key: string; found: Found<Row, Result> }>({ key, found: nothing })
  const stopping = useRef<AbortController>(undefined)
  // of what is asked now, never of what was asked before
  const found = last.key === key ? last.found : nothing
  useEffect(() => {
    if (url === undefined) return undefined
    const controller = new AbortController()
    const { signal } = controller
    stopping.current = controller
    const rows: Row[] = []
    const addLine = ({ [rowName]: row, ...news }: Line<Row, Result>) => {
      if (row === undefined) set({ key, found: { rows: [...rows], ...news } })
      else if (rows.length < rowsMax) rows.push(row)
    }
    followLines(url, addLine, signal).catch((failure) => {
      if (!signal.aborted) set({ key, found: { rows, failure } })
    })
    return () => controller.abort()
  }, [key])
  return {
    ...found,
    stop: () => {
      stopping.current?.abort()
      set({ key, found: { ...found, isStopped: true } })
    },
    again: () => setAttempt(attempt + 1),
  }
}

async function followLines<Row, Result>(
  url: string,
  addLine: (line: Line<Row, Result>) => void,
  signal: AbortSignal,
): Promise<void> {
  let isWhole = false
  for await (const line of readLines<Line<Row, Result>>(url, signal)) {
    addLine(line)
    isWhole = 'result' in line
  }
  // an answer without its last line was broken off
  if (!isWhole) throw new Error('The answer was broken off: what is shown is not all.')
}
