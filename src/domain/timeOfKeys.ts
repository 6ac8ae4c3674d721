/** Whose the time of a thread was, lately and in this turn of its event loop, and who may have more of it. */

export interface TimeOfKeys {
  /** A short one is for those who lately had little, as far as it goes. */
  readonly beginTurn: (isShort: boolean) => void
  /** What follows, until this ends, is the key's. */
  readonly begin: (key: string) => void
  readonly end: () => void
  /** Whether work for the key may begin in this turn. */
  readonly allows: (key: string) => boolean
  /** Whether it lately had little. */
  readonly hasLittle: (key: string) => boolean
  /** Whether what goes on may do more in this turn; less where others wait. */
  readonly isLeft: (othersWait: boolean) => boolean
  /** Of these keys the one that lately had least, the first of several; undefined when there are none. */
  readonly leastOf: (keys: Iterable<string>) => string | undefined
}

/** Milliseconds of work in a turn, after which it has no more for those who lately had a fair part of the time. */
const turnMs = 5
/** The same while connections wait to be taken, whoever they are of. */
const shortTurnMs = 1
/** What others may have of a turn beyond that. */
const beyondMs = 5
/** Work that can pause goes on for so long where others wait. */
const pieceMs = 2
/** Milliseconds in which what a key had comes to count for a third of what it was. */
const latelyMs = 100
/** Less than this part of the time is little. */
const littlePart = 0.3

/** Opens the count. */
export function openTimeOfKeys(nowMs: () => number): TimeOfKeys {
  const lately = openLately(nowMs)
  let spentMs = 0
  let fairMs = turnMs
  let going: { readonly key: string; readonly sinceMs: number } | undefined
  const goingMs = (): number => (going ? nowMs() - going.sinceMs : 0)
  const hasLittle = (key: string): boolean =>
    lately.of(key) + (going?.key === key ? goingMs() : 0) < latelyMs * littlePart

  const end = (): void => {
    if (!going) return
    const ms = goingMs()
    lately.add(going.key, ms)
    spentMs += ms
    going = undefined
  }
  return {
    beginTurn: (isShort) => {
      end()
      lately.fade()
      fairMs = isShort ? shortTurnMs : turnMs
      spentMs = 0
    },
    begin: (key) => {
      end()
      going = { key, sinceMs: nowMs() }
    },
    end,
    hasLittle,
    allows: (key) => {
      const ms = spentMs + goingMs()
      return ms < fairMs || (ms < turnMs + beyondMs && hasLittle(key))
    },
    isLeft: (othersWait) => {
      const ms = goingMs()
      return spentMs + ms < fairMs && !(othersWait && ms >= pieceMs)
    },
    leastOf: (keys) => {
      let least: string | undefined
      let leastMs = Number.POSITIVE_INFINITY
      for (const key of keys) {
        const ms = lately.of(key)
        if (ms >= leastMs) continue
        least = key
        leastMs = ms
      }
      return least
    },
  }
}

/** Less is forgotten. */
const nothingMs = 0.1

/** What each key had; the longer ago, the less it counts. */
function openLately(nowMs: () => number) {
  const ofKeys = new Map<string, number>()
  let fadedMs = nowMs()
  return {
    of: (key: string): number => ofKeys.get(key) ?? 0,
    add: (key: string, ms: number): void => {
      ofKeys.set(key, (ofKeys.get(key) ?? 0) + ms)
    },
    fade: (): void => {
      const now = nowMs()
      const left = Math.exp((fadedMs - now) / latelyMs)
      fadedMs = now
      for (const [key, ms] of ofKeys) {
        if (ms * left < nothingMs) ofKeys.delete(key)
        else ofKeys.set(key, ms * left)
      }
    },
  }
}
