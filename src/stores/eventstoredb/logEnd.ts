/** Finds the end of the log: the last event that is not the server's own. */

import { isOfSystem, type LogPosition, logRequest } from './messages.ts'
import type { PageReader } from './readPage.ts'

export interface LogEnd {
  /** The position of the last event, 0 when there is none. */
  readonly find: () => Promise<number>
  /** The last position that this process has heard of: everything up to it is in the log, and can be read. */
  readonly known: () => number
  /** To be told of every position that an append or a read has shown. */
  readonly hear: (position: number) => void
}

/** How many events are read at a time, from the end backwards: mostly the first one is not the server's own. */
const pages = [1, 32, 512]

export function logEnd(reader: PageReader): LogEnd {
  let known = 0
  /** What was found last: from there back nothing has to be looked at again. */
  let looked = { end: 0, head: 0 }
  const hear = (position: number): void => {
    known = Math.max(known, position)
  }

  /** The last of the service's events, back to where was looked before; 0 when there is none. */
  const findLast = async (before: number): Promise<Found> => {
    let from: LogPosition | 'end' = 'end'
    let end: number | undefined
    for (let page = 0; ; page += 1) {
      const limit = pages[Math.min(page, pages.length - 1)] ?? 1
      const placed = await reader.read(logRequest({ from, direction: 'backwards', limit }))
      end ??= placed[0]?.event.position ?? 0
      const last = placed.find((one) => one.event.position <= before || !isOfSystem(one))
      if (last || placed.length < limit) return { end, last: last?.event.position ?? 0 }
      from = placed.at(-1)?.place ?? 'end'
    }
  }
  return {
    find: async () => {
      const before = looked
      const first = await findLast(before.end)
      // a log that is shorter than it was has to be looked through anew
      const isShorter = first.end < before.end
      const { end, last } = isShorter ? await findLast(0) : first
      const head = isShorter || last > before.end ? last : before.head
      looked = { end, head }
      hear(head)
      return head
    },
    known: () => known,
    hear,
  }
}

interface Found {
  /** The position of the last event, whoever's it is. */
  readonly end: number
  readonly last: number
}
